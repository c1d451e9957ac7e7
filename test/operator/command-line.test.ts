/** The commands that messages suggest run as they are printed, however the service or the operator was started. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { commandLine, operatorProgram, type Start } from '../../server/contract/command-line.js';
import { projectRoot as root } from '../../server/contract/project-files.js';

const program = path.join(root, 'dist/server/operator/main.js');
const byNode: Start = {
  environment: {},
  cwd: '/',
  isOutermost: false,
  host: 'laptop',
  hasFile: () => false,
};
const npm_package_json = path.join(root, 'package.json');
const inContainer = { ...byNode, cwd: root, isOutermost: true, host: '3f2a1b9c8d7e' };
const inImage = 'node dist/server/operator/main.js';
const has = (file: string) => ({ hasFile: (asked: string) => asked === file });

test.each<[how: string, Start, string]>([
  ['node', byNode, `node ${program}`],
  ['node in its folder', { ...byNode, cwd: root }, inImage],
  [
    'npm start',
    { ...byNode, environment: { npm_package_json, INIT_CWD: root } },
    'npm run operator --',
  ],
  [
    'npm start --prefix',
    { ...byNode, environment: { npm_package_json, INIT_CWD: '/home/ada' } },
    `npm run --prefix ${root} operator --`,
  ],
  [
    'npm in another project',
    { ...byNode, environment: { npm_package_json: '/other/package.json' } },
    `node ${program}`,
  ],
  ['Docker', { ...inContainer, ...has('/.dockerenv') }, `docker exec -it 3f2a1b9c8d7e ${inImage}`],
  [
    'Podman',
    { ...inContainer, ...has('/run/.containerenv') },
    `podman exec -it 3f2a1b9c8d7e ${inImage}`,
  ],
  [
    'Kubernetes',
    { ...inContainer, host: 'agents-7d4b9', environment: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } },
    `kubectl exec -it agents-7d4b9 -- ${inImage}`,
  ],
  [
    'a shell in a container',
    { ...inContainer, ...has('/.dockerenv'), isOutermost: false },
    inImage,
  ],
  [
    'a container with its own name',
    { ...inContainer, ...has('/.dockerenv'), host: 'web' },
    inImage,
  ],
])('after a start by %s', (_how, start, expected) => {
  expect(operatorProgram(start)).toBe(expected);
});

test('arguments reach the program unchanged through a shell', () => {
  const args = ['plain', 'with space', `it's`, '$HOME `id` "q"', 'a;b', '', '--account'];
  const command = commandLine(...args);
  const quoted = command.slice(command.indexOf(' plain '));
  const printed = execFileSync('bash', ['-c', `printf '%s\\0' ${quoted}`], { encoding: 'utf8' });
  expect(printed.split('\0').slice(0, -1)).toEqual(args);
});
