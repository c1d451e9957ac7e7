import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  globalSetup: '<rootDir>/test/helpers/run/setup.ts',
  globalTeardown: '<rootDir>/test/helpers/run/teardown.ts',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Programs, compilers and PostgreSQL share the machine with the tests, and not every machine is quick.
  testTimeout: 180_000,
  // Much of the time passes in PostgreSQL, in other processes and in waiting, so there are two workers more than cores.
  maxWorkers: availableParallelism() + 2,
  // Jest does not free the modules of a test file: a worker that has grown large is replaced.
  workerIdleMemoryLimit: '700MB',
};
