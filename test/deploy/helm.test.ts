/** The Helm chart: its values are documented and used, and its output fits the service. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ajvModule from 'ajv';
import {
  chart,
  everything,
  helm,
  image,
  notesOf,
  own,
  podOf,
  rendered,
  setsOf,
  withHelm,
} from './chart.js';
import { deploy, knownSettings, readYaml, run, testWith } from './tools.js';

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

/** Kubernetes objects that the chart passes on unchanged. */
const passedOn = ['resources', 'podSecurityContext', 'labels'];

/** The paths of all leaf values; an empty object is a value for users to fill. */
function leavesOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, own]: [string, unknown]) => {
    const isGroup = typeof own === 'object' && own !== null && !Array.isArray(own);
    const isFilled = isGroup && Object.keys(own).length > 0 && !passedOn.includes(name);
    return isFilled ? leavesOf(own, `${prefix}${name}.`) : [`${prefix}${name}`];
  });
}

describe('values', () => {
  test('fit their schema, which allows no others', () => {
    expect(validate(values) ? [] : validate.errors).toEqual([]);
    expect(validate({ ...values, replicas: 3 })).toBe(false);
    expect(validate({ ...values, secret: { secretsKey: 'too short' } })).toBe(false);
    expect(validate({ ...values, tls: { enabled: true, secretName: '' } })).toBe(false);
    expect(validate({ ...values, config: { 'log-level': 'debug' } })).toBe(false);
  });

  test('are all used, and no others are', () => {
    const used = [...templates.matchAll(/\.Values\.([\w.]*\w)/g)].map(([, name = '']) => name);
    const leaves = leavesOf(values);
    // Environment variables of the service are not settings of the chart.
    const isVariable = (name: string) => /^config\.[A-Z_]+$/.test(name);
    const unknown = used.filter((name) => !leaves.includes(name) && !isVariable(name));
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

describe('rendered by helm', () => {
  withHelm('passes helm lint', () => {
    for (const settings of [own, everything]) {
      const { code, output } = run('helm', ['lint', '--strict', chart, ...setsOf(settings)]);
      expect(code).toBe(0);
      expect(output).toContain('0 chart(s) failed');
      expect(output).not.toMatch(/\[(?:INFO|WARNING|ERROR)\]/);
    }
  });

  withHelm('contains what an installation needs, and no more', () => {
    const kinds = (settings: Record<string, string>) =>
      rendered(settings)
        .map(({ kind }) => kind)
        .sort();
    const always = ['Deployment', 'PodDisruptionBudget', 'Service', 'ServiceAccount'];
    expect(kinds(own)).toEqual([...always, 'Secret'].sort());
    expect(kinds(everything)).toEqual(
      [
        ...always,
        'ConfigMap',
        'Deployment',
        'HorizontalPodAutoscaler',
        'Ingress',
        'Job',
        'NetworkPolicy',
        'PodDisruptionBudget',
        'PrometheusRule',
        'Service',
        'ServiceMonitor',
      ].sort(),
    );
  });

  withHelm(
    'gives the service, the worker and the migration the same files, variables and nodes',
    () => {
      const documents = rendered(everything);
      for (const name of ['r-agent-hosting', 'r-agent-hosting-worker', 'r-agent-hosting-migrate']) {
        const pod = podOf(documents, name);
        expect(pod.volumes).toContainEqual({ name: 'ca', secret: { secretName: 'database-ca' } });
        expect(pod.nodeSelector).toEqual({ disk: 'fast' });
        expect(pod.tolerations).toEqual([{ key: 'agents', operator: 'Exists' }]);
        expect(pod.affinity).toHaveProperty('podAntiAffinity');
        const [container] = pod.containers;
        expect(container?.image).toMatch(/^registry\.example\.com\/agents:\d/);
        expect(container?.volumeMounts).toContainEqual({ name: 'ca', mountPath: '/ca' });
        expect(container?.env).toContainEqual({ name: 'NODE_EXTRA_CA_CERTS', value: '/ca/ca.crt' });
        expect(container?.env).toContainEqual({ name: 'LOG_LEVEL', value: 'debug' });
        expect(container?.envFrom).toEqual([
          { secretRef: { name: 'agents' } },
          { configMapRef: { name: 'more' } },
        ]);
      }
    },
  );

  withHelm('delivers only in the worker, which gets no requests', () => {
    const documents = rendered(everything);
    const [service] = podOf(documents).containers;
    const [worker] = podOf(documents, 'r-agent-hosting-worker').containers;
    expect(worker?.command?.at(-1)).toBe('dist/server/worker.js');
    expect(service?.env).toContainEqual({ name: 'WORKER', value: 'off' });
    expect(worker?.env.map(({ name }) => name)).not.toContain('WORKER');
    const selectors = documents.filter(({ kind }) => kind === 'Service');
    expect(selectors.map(({ metadata, spec }) => [metadata.name, spec.selector])).toEqual([
      ['r-agent-hosting', expect.objectContaining({ 'app.kubernetes.io/name': 'agent-hosting' })],
      [
        'r-agent-hosting-worker',
        expect.objectContaining({ 'app.kubernetes.io/name': 'agent-hosting-worker' }),
      ],
    ]);
    const [alone] = podOf(rendered(own)).containers;
    expect(alone?.env.map(({ name }) => name)).not.toContain('WORKER');
  });

  withHelm('writes the numbers of a values file as the service reads them', () => {
    // A float in Helm, like every number of a file; numbers of --set are not.
    const numbers = [
      'config.MAX_ANSWER_BYTES_IN_FLIGHT=67108864',
      'secret.extra.STREAM_GRACE_MS=1000000',
    ].flatMap((number) => ['--set-json', number]);
    const documents = rendered(own, numbers);
    const [service] = podOf(documents).containers;
    expect(service?.env).toContainEqual({ name: 'MAX_ANSWER_BYTES_IN_FLIGHT', value: '67108864' });
    const secret = documents.find(({ kind }) => kind === 'Secret');
    expect(secret?.stringData).toMatchObject({ STREAM_GRACE_MS: '1000000' });
    const slow = ['--set-json', 'migrations.timeoutSeconds=1000000'];
    expect(helm(everything, slow).output).toContain('activeDeadlineSeconds: 1000000\n');
  });

  withHelm('limits the disruption of the service and of the worker, each for itself', () => {
    const budgets = (settings: Record<string, string>) =>
      rendered(settings)
        .filter(({ kind }) => kind === 'PodDisruptionBudget')
        .map(({ metadata, spec }) => [metadata.name, spec.selector]);
    const pods = (name: string) => ({
      matchLabels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': 'r' },
    });
    const ofService = ['r-agent-hosting', pods('agent-hosting')];
    expect(budgets(own)).toEqual([ofService]);
    expect(budgets(everything)).toEqual([
      ofService,
      ['r-agent-hosting-worker', pods('agent-hosting-worker')],
    ]);
    expect(budgets({ ...everything, 'podDisruptionBudget.enabled': 'false' })).toEqual([]);
  });

  withHelm.each(['', 'assistants'])(
    'gives its metrics the job that the alerts select, with the name %p',
    async (nameOverride) => {
      const documents = rendered({ ...everything, nameOverride });
      const monitor = documents.find(({ kind }) => kind === 'ServiceMonitor');
      const scraped = documents.filter(({ kind }) => kind === 'Service');
      expect(scraped).toHaveLength(2);
      const alerts = await readFile(path.join(deploy, 'prometheus/alerts.yaml'), 'utf8');
      const selected = [...alerts.matchAll(/job=~"(.+?)"/g)].map(([, pattern = '']) => pattern);
      expect(selected).not.toEqual([]);
      for (const { metadata } of scraped) {
        const job = metadata.labels[monitor?.spec.jobLabel ?? ''];
        for (const pattern of selected) expect(job).toMatch(new RegExp(`^(?:${pattern})$`));
      }
    },
  );

  withHelm('runs the migration with a service account that exists before the chart', () => {
    const job = 'r-agent-hosting-migrate';
    const account = (settings: Record<string, string>) =>
      podOf(rendered({ ...everything, ...settings }), job).serviceAccountName;
    expect(account({})).toBe('default');
    expect(account({ 'migrations.serviceAccountName': 'migrator' })).toBe('migrator');
    expect(account({ 'serviceAccount.create': 'false', 'serviceAccount.name': 'mine' })).toBe(
      'mine',
    );
  });

  withHelm('contains no Secret if secrets are files', () => {
    const documents = rendered({
      ...image,
      'secret.enabled': 'false',
      'config.DATABASE_URL_FILE': '/run/secrets/url',
      'migrations.mode': 'job',
    });
    expect(documents.map(({ kind }) => kind)).not.toContain('Secret');
    expect(podOf(documents).containers[0]?.envFrom).toBeUndefined();
  });

  withHelm('sets no user if the platform assigns one', () => {
    const openShift = ['--api-versions', 'security.openshift.io/v1'];
    for (const name of ['r-agent-hosting', 'r-agent-hosting-worker', 'r-agent-hosting-migrate']) {
      const assigned = podOf(rendered(everything, openShift), name).securityContext;
      expect(assigned).toEqual({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(podOf(rendered(everything), name).securityContext).toMatchObject({ runAsUser: 1000 });
    }
  });

  withHelm('includes the alerts and the dashboard of this project', async () => {
    const documents = rendered(everything);
    const rule = documents.find(({ kind }) => kind === 'PrometheusRule');
    expect({ groups: rule?.spec.groups }).toEqual(await readYaml('prometheus/alerts.yaml'));
    expect(rule?.metadata.labels).toMatchObject({ release: 'prometheus' });
    const dashboard = documents.find(({ kind }) => kind === 'ConfigMap');
    expect(dashboard?.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
    expect(JSON.parse(dashboard?.data?.['agent-hosting.json'] ?? '')).toEqual(
      JSON.parse(await readFile(path.join(deploy, 'grafana/agent-hosting.json'), 'utf8')),
    );
  });

  withHelm.each<[string, Record<string, string>, number | undefined]>([
    ['two pods', {}, undefined],
    ['five pods', { replicaCount: '5' }, 138],
    ['ten pods by autoscaling', { 'autoscaling.enabled': 'true' }, 253],
    [
      'a larger database',
      { 'autoscaling.enabled': 'true', 'database.maxConnections': '400' },
      undefined,
    ],
    ['small pools', { replicaCount: '5', 'config.DATABASE_POOL_SIZE': '8' }, undefined],
    ['several processes', { 'config.WORKERS': '6' }, 234],
    ['a worker', { replicaCount: '3', 'worker.enabled': 'true' }, 115],
  ])(
    'warns about more connections than PostgreSQL allows: %s',
    async (_, settings, connections) => {
      const notes = await notesOf({ ...own, ...settings });
      expect(notes).toContain('is being rolled out');
      if (connections === undefined) expect(notes).not.toContain('WARNING');
      else expect(notes).toContain(`up to ${connections} connections`);
    },
  );

  withHelm('has probes that follow TLS, and enough time to stop', () => {
    for (const [settings, scheme, seconds] of [
      [own, 'HTTP', 20],
      [everything, 'HTTPS', 86],
    ] as const) {
      const pod = podOf(rendered(settings));
      const [container] = pod.containers;
      expect(container?.startupProbe.httpGet).toMatchObject({ path: '/healthz', scheme });
      expect(container?.livenessProbe.httpGet).toMatchObject({ path: '/healthz', scheme });
      expect(container?.readinessProbe.httpGet).toMatchObject({ path: '/readyz', scheme });
      expect(container?.readinessProbe.failureThreshold).toBe(3);
      expect(container?.livenessProbe.failureThreshold).toBe(3);
      expect(pod.terminationGracePeriodSeconds).toBe(seconds);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
      expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    }
  });

  withHelm.each([
    [
      'without an image',
      { ...own, 'image.repository': '' },
      /Set image\.repository to your image\. deploy\/README\.md describes how to build and push one/,
    ],
    ['without a database', image, /Set secret\.databaseUrl, or secret\.existing/],
    [
      'without a key',
      { ...image, 'secret.databaseUrl': 'postgresql://u:p@db/agents' },
      /secretsKey to the output of: openssl/,
    ],
    [
      'with a hook that has no Secret yet',
      { ...own, 'migrations.mode': 'job' },
      /migrations\.mode job needs secret\.existing/,
    ],
    ['with a setting that is misspelt', { ...own, replicacount: '3' }, /replicacount/],
  ])('is rejected %s, with an explanation', (_, settings, message) => {
    const { code, output } = helm(settings);
    expect(code).not.toBe(0);
    expect(output).toMatch(message);
  });

  withHelm('contains no empty objects, which some Kubernetes versions reject', () => {
    for (const settings of [own, everything]) {
      expect(JSON.stringify(rendered(settings))).not.toContain('null');
    }
  });

  // It downloads the schemas, which not every machine may do.
  const known = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: any\n';
  for (const version of ['1.27.0', '1.31.0', '1.34.0']) {
    const conform = ['-strict', '-kubernetes-version', version];
    testWith(['kubeconform', ...conform], known)(`is accepted by Kubernetes ${version}`, () => {
      for (const settings of [own, everything]) {
        // There are no schemas for the resource kinds of the Prometheus operator.
        const args = [...conform, '-ignore-missing-schemas'];
        const { code, output } = run('kubeconform', args, helm(settings).output);
        expect([code, output]).toEqual([0, '']);
      }
    });
  }
});
