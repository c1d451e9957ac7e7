import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/helpers/run/environment.js',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  globalSetup: '<rootDir>/test/helpers/run/setup.ts',
  globalTeardown: '<rootDir>/test/helpers/run/teardown.ts',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    [`^${import.meta.dirname}/(server|generated)/.+\\.ts$`]: '<rootDir>/test/helpers/run/facade.js',
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
      },
    ],
  },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^(pg|fast-check)$': '<rootDir>/test/helpers/run/packages/$1.ts',
  },
  // Programs, compilers and PostgreSQL share the machine with the tests, and not every machine is quick.
  testTimeout: 180_000,
  testSequencer: '<rootDir>/test/helpers/run/sequencer.js',
  // Much of the time passes in PostgreSQL, in other processes and in waiting, so there is one worker more than cores.
  maxWorkers: availableParallelism() + 1,
  // Jest never frees the modules of a test file, and a worker with a large heap spends its time collecting it.
  workerIdleMemoryLimit: '700MB',
};
