/** The load generator of the benchmarks. */

export { default, type Client, type Options } from 'autocannon';
