/** Takes the place of iconv-lite in the bundle: nobody decodes a body from another encoding, and its tables are a third of it. */
module.exports = {};
