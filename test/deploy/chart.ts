/** Renders the chart with Helm, where a machine has it. */
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { temporaryFolder } from '../helpers/programs/workspace.js';
import { deploy, parseDocuments, run, testWith } from './tools.js';

export const chart = path.join(deploy, 'helm/agent-hosting');

export interface Rendered {
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec: {
    template: { spec: PodSpec };
    selector: unknown;
    groups?: unknown;
    replicas?: number;
    jobLabel?: string;
  };
}

interface Probe {
  httpGet: { path: string; scheme: string };
  failureThreshold: number;
}

export interface PodSpec {
  serviceAccountName: string;
  terminationGracePeriodSeconds: number;
  securityContext: object;
  volumes: { name: string }[];
  nodeSelector?: object;
  tolerations?: object[];
  affinity?: object;
  containers: {
    image: string;
    command?: string[];
    env: { name: string; value: string }[];
    envFrom?: object[];
    startupProbe: Probe;
    livenessProbe: Probe;
    readinessProbe: Probe;
    securityContext: object;
    volumeMounts: { name: string; mountPath: string }[];
  }[];
}

export const withHelm = testWith(['helm', 'version']);
const key = `${'x'.repeat(43)}=`;
export const image = { 'image.repository': 'registry.example.com/agents' };
export const own = {
  ...image,
  'secret.databaseUrl': 'postgresql://u:p@db/agents',
  'secret.secretsKey': key,
};
export const everything = {
  ...image,
  'secret.existing': 'agents',
  'worker.enabled': 'true',
  'metrics.prometheusRule.enabled': 'true',
  'metrics.prometheusRule.labels.release': 'prometheus',
  'metrics.dashboard.enabled': 'true',
  'extraVolumes[0].name': 'ca',
  'extraVolumes[0].secret.secretName': 'database-ca',
  'extraVolumeMounts[0].name': 'ca',
  'extraVolumeMounts[0].mountPath': '/ca',
  'extraEnv[0].name': 'NODE_EXTRA_CA_CERTS',
  'extraEnv[0].value': '/ca/ca.crt',
  'envFrom[0].configMapRef.name': 'more',
  'nodeSelector.disk': 'fast',
  'tolerations[0].key': 'agents',
  'tolerations[0].operator': 'Exists',
  'affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight': '1',
  'affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey':
    'topology.kubernetes.io/zone',
  'migrations.mode': 'job',
  'tls.enabled': 'true',
  'tls.secretName': 'certificate',
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

export function setsOf(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
}

const kubernetes = ['--kube-version', '1.31.0'];

export function helm(settings: Record<string, string>, args: string[] = [], from = chart) {
  return run('helm', ['template', 'r', from, ...kubernetes, ...args, ...setsOf(settings)]);
}

/** The notes shown after an installation. Helm renders them only with a cluster, so a ConfigMap in a copy includes them. */
export async function notesOf(settings: Record<string, string>): Promise<string> {
  const copy = path.join(await temporaryFolder(), 'agent-hosting');
  await cp(chart, copy, { recursive: true });
  const notes = '{{ include (print $.Template.BasePath "/NOTES.txt") . | quote }}';
  await writeFile(
    path.join(copy, 'templates/notes.yaml'),
    `kind: Notes\nmetadata: { name: notes }\ndata: { text: ${notes} }\n`,
  );
  const { code, output } = helm(settings, ['--show-only', 'templates/notes.yaml'], copy);
  if (code !== 0) throw new Error(output);
  const [document] = parseDocuments(output) as Rendered[];
  return document?.data?.['text'] ?? '';
}

export function rendered(settings: Record<string, string>, args: string[] = []): Rendered[] {
  const { code, output } = helm(settings, args);
  if (code !== 0) throw new Error(output);
  return parseDocuments(output) as Rendered[];
}

export function podOf(documents: Rendered[], name = 'r-agent-hosting'): PodSpec {
  const hasPod = ({ kind }: Rendered) => kind === 'Deployment' || kind === 'Job';
  const owner = documents.find((one) => hasPod(one) && one.metadata.name === name);
  if (!owner) throw new Error(`There is no ${name}.`);
  return owner.spec.template.spec;
}
