/** Replaces iconv-lite in the bundle: the service reads only UTF-8, and its tables would be a third of the bundle. */
module.exports = {};
