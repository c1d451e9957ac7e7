/**
 * `prisma studio` and `prisma dev` are not part of this project. Their packages take 115 MB, and Prisma's command line loads
 * them whichever command it is given.
 */
function notInstalled() {
  throw new Error(
    'This project installs Prisma without "prisma studio" and "prisma dev". Run them elsewhere with npx prisma@7.10.0.',
  );
}

module.exports = {
  createMySQL2Executor: notInstalled,
  createNodeSQLiteExecutor: notInstalled,
  createPostgresJSExecutor: notInstalled,
};
