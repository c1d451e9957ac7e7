/** The Helm chart: its values are described, all of them are used, and what it renders fits the service. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ajvModule from 'ajv';
import { deploy, knownSettings, parseDocuments, readYaml, run, testWith } from './tools.js';

const chart = path.join(deploy, 'helm/agent-hosting');
const values = (await readYaml('helm/agent-hosting/values.yaml')) as Record<string, unknown>;
const schema = JSON.parse(await readFile(path.join(chart, 'values.schema.json'), 'utf8')) as object;
const validate = new ajvModule.default({ strict: false, allErrors: true }).compile(schema);
const templates = await readTemplates();

async function readTemplates(): Promise<string> {
  const folder = path.join(chart, 'templates');
  const names = await readdir(folder);
  const texts = names.map((name) => readFile(path.join(folder, name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

/** The paths of what is no further object; an empty object is a value that people fill. */
function leavesOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, own]: [string, unknown]) => {
    const isGroup = typeof own === 'object' && own !== null && !Array.isArray(own);
    const isFilled = isGroup && Object.keys(own).length > 0 && name !== 'resources';
    return isFilled ? leavesOf(own, `${prefix}${name}.`) : [`${prefix}${name}`];
  });
}

describe('values', () => {
  test('fit their schema, which knows no others', () => {
    expect(validate(values) ? [] : validate.errors).toEqual([]);
    expect(validate({ ...values, replicas: 3 })).toBe(false);
    expect(validate({ ...values, secret: { secretsKey: 'too short' } })).toBe(false);
    expect(validate({ ...values, tls: { enabled: true, secretName: '' } })).toBe(false);
    expect(validate({ ...values, config: { 'log-level': 'debug' } })).toBe(false);
  });

  test('are all used, and no other is', () => {
    const used = [...templates.matchAll(/\.Values\.([\w.]*\w)/g)].map(([, name = '']) => name);
    const leaves = leavesOf(values);
    const unknown = used.filter((name) => !leaves.some((leaf) => leaf === name));
    expect([...new Set(unknown)]).toEqual([]);
    expect(leaves.filter((leaf) => !used.includes(leaf))).toEqual([]);
  });
});

test('sets variables that the service has', async () => {
  const known = await knownSettings();
  const set = [...templates.matchAll(/- name: ([A-Z][A-Z_]+)$/gm)].map(([, name = '']) => name);
  expect(set.length).toBeGreaterThan(5);
  expect(set.filter((name) => !known.has(name))).toEqual([]);
});

interface Rendered {
  kind: string;
  metadata: { name: string };
  spec: {
    template: { spec: PodSpec };
    replicas?: number;
  };
}

interface Probe {
  httpGet: { path: string; scheme: string };
}

interface PodSpec {
  terminationGracePeriodSeconds: number;
  securityContext: object;
  containers: {
    env: { name: string; value: string }[];
    startupProbe: Probe;
    livenessProbe: Probe;
    readinessProbe: Probe;
    securityContext: object;
  }[];
}

const withHelm = testWith(['helm', 'version']);
const key = `${'x'.repeat(43)}=`;
const own = { 'secret.databaseUrl': 'postgresql://u:p@db/agents', 'secret.secretsKey': key };
const everything = {
  'secret.existing': 'agents',
  'migrations.mode': 'job',
  'tls.enabled': 'true',
  'tls.secretName': 'certificate',
  'tls.clientCa': 'true',
  'ingress.enabled': 'true',
  'ingress.tlsSecretName': 'ingress',
  'metrics.enabled': 'true',
  'metrics.serviceMonitor.enabled': 'true',
  'autoscaling.enabled': 'true',
  'networkPolicy.enabled': 'true',
  'config.LOG_LEVEL': 'debug',
  lameDuckMs: '20000',
  shutdownTimeoutMs: '60001',
};

function helm(settings: Record<string, string>) {
  const sets = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  return run('helm', ['template', 'r', chart, '--kube-version', '1.31.0', ...sets]);
}

function rendered(settings: Record<string, string>): Rendered[] {
  const { code, output } = helm(settings);
  if (code !== 0) throw new Error(output);
  return parseDocuments(output) as Rendered[];
}

function podOf(documents: Rendered[]): PodSpec {
  const pod = documents.find(({ kind }) => kind === 'Deployment')?.spec.template.spec;
  if (!pod) throw new Error('There is no Deployment.');
  return pod;
}

describe('rendered by helm', () => {
  withHelm('is free of what helm lint finds', () => {
    const sets = Object.entries(own).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    const { code, output } = run('helm', ['lint', '--strict', chart, ...sets]);
    expect([code, output]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
  });

  withHelm('has what an installation needs, and no more', () => {
    const kinds = (settings: Record<string, string>) =>
      rendered(settings)
        .map(({ kind }) => kind)
        .sort();
    const always = ['Deployment', 'PodDisruptionBudget', 'Service', 'ServiceAccount'];
    expect(kinds(own)).toEqual([...always, 'Secret'].sort());
    expect(kinds(everything)).toEqual(
      [
        ...always,
        'HorizontalPodAutoscaler',
        'Ingress',
        'Job',
        'NetworkPolicy',
        'ServiceMonitor',
      ].sort(),
    );
  });

  withHelm('has probes that follow TLS, and time to end', () => {
    for (const [settings, scheme, seconds] of [
      [own, 'HTTP', 20],
      [everything, 'HTTPS', 86],
    ] as const) {
      const pod = podOf(rendered(settings));
      const [container] = pod.containers;
      expect(container?.startupProbe.httpGet).toMatchObject({ path: '/healthz', scheme });
      expect(container?.livenessProbe.httpGet).toMatchObject({ path: '/healthz', scheme });
      expect(container?.readinessProbe.httpGet).toMatchObject({ path: '/readyz', scheme });
      expect(pod.terminationGracePeriodSeconds).toBe(seconds);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
      expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    }
  });

  withHelm.each([
    ['without a database', {}, /Set secret\.databaseUrl, or secret\.existing/],
    [
      'without a key',
      { 'secret.databaseUrl': 'postgresql://u:p@db/agents' },
      /secretsKey to the output of: openssl/,
    ],
    [
      'with a hook that has no Secret yet',
      { ...own, 'migrations.mode': 'job' },
      /migrations\.mode job needs secret\.existing/,
    ],
    ['with a setting that is misspelt', { ...own, replicacount: '3' }, /replicacount/],
  ])('is refused %s, and says why', (_, settings, message) => {
    const { code, output } = helm(settings);
    expect(code).not.toBe(0);
    expect(output).toMatch(message);
  });

  // It fetches the schemas, which not every machine may.
  const conform = ['-strict', '-kubernetes-version', '1.31.0'];
  const known = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: any\n';
  testWith(['kubeconform', ...conform], known)('is what Kubernetes accepts', () => {
    for (const settings of [own, everything]) {
      // The ServiceMonitor is a kind of the operator of Prometheus.
      const args = [...conform, '-ignore-missing-schemas'];
      const { code, output } = run('kubeconform', args, helm(settings).output);
      expect([code, output]).toEqual([0, '']);
    }
  });
});
