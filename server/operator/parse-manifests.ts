/** Parses and validates agent manifests, and reports problems with line and column. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import { type Document, LineCounter, parseAllDocuments } from 'yaml';
import type { AgentManifest } from '../../generated/manifest.js';
import { manifestSchema } from '../contract/project-files.js';
import { findingsInApprovals } from '../agents/manifests/approvals.js';
import { findingsInArguments } from '../agents/manifests/arguments.js';
import { findingsInModels } from '../agents/manifests/models.js';
import { findingsInSchedules } from '../agents/manifests/schedules.js';
import { explainErrors, type LocatedProblem, offsetAt } from './manifest-problems.js';

export interface ManifestProblem {
  line: number;
  column: number;
  message: string;
}

interface ParsedManifest {
  manifest: AgentManifest;
  /** What its models may refuse. */
  warnings: ManifestProblem[];
}

type ParsedManifests = { manifests: ParsedManifest[] } | { problems: ManifestProblem[] };

/** One manifest for each YAML document. Settings that a manifest omits get the schema's defaults. */
export function parseManifests(text: string): ParsedManifests {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines });
  // A separator at the beginning or end of the file creates an empty document.
  const documents = parsed.filter(
    (document) => document.errors.length > 0 || document.toJS() !== null,
  );
  const results = documents.map(parseDocument);
  const manifests = results.flatMap((result) => ('manifest' in result ? [result] : []));
  const problems = [
    ...(documents.length === 0 ? [{ offset: 0, message: 'contains no manifest' }] : []),
    ...results.flatMap((result) => ('problems' in result ? result.problems : [])),
    ...manifests
      .filter(({ manifest: { name } }, index) =>
        manifests.slice(0, index).some((earlier) => earlier.manifest.name === name),
      )
      .map(({ manifest: { name }, offset }) => ({
        offset,
        message: `'${name}' already has a manifest above`,
      })),
  ];
  const placed = (located: LocatedProblem[]) =>
    located
      .toSorted((one, other) => one.offset - other.offset)
      .map(({ offset, message }) => {
        const { line, col } = lines.linePos(offset);
        return { line, column: col, message };
      });
  if (problems.length > 0) return { problems: placed(problems) };
  return {
    manifests: manifests.map(({ manifest, warnings }) => ({
      manifest,
      warnings: placed(warnings),
    })),
  };
}

type ParsedDocument =
  | { manifest: AgentManifest; offset: number; warnings: LocatedProblem[] }
  | { problems: LocatedProblem[] };

function parseDocument(document: Document.Parsed): ParsedDocument {
  // Later errors are mostly consequences of the first.
  const [error] = document.errors;
  if (error) {
    const [reason] = error.message.split(' at line ');
    return { problems: [{ offset: error.pos[0], message: `not valid YAML: ${reason}` }] };
  }
  const manifest: unknown = document.toJS();
  validate ??= compile();
  if (!validate(manifest)) {
    const { errors, schema } = validate;
    return { problems: explainErrors(errors ?? [], document, schema as object) };
  }
  const findings = [
    ...findingsInModels(manifest),
    ...findingsInApprovals(manifest),
    ...findingsInSchedules(manifest),
    ...findingsInArguments(manifest),
  ];
  const located = (isRefused: boolean) =>
    findings
      .filter((finding) => finding.isRefused === isRefused)
      .map(({ path, message }) => ({
        offset: offsetAt(document, path),
        message: `${path.join('.')} ${message}`,
      }));
  const problems = located(true);
  if (problems.length > 0) return { problems };
  return { manifest, offset: document.contents?.range[0] ?? 0, warnings: located(false) };
}

let validate: ValidateFunction<AgentManifest> | undefined;

function compile(): ValidateFunction<AgentManifest> {
  const ajv = new Ajv2020({
    allErrors: true,
    useDefaults: true,
    verbose: true,
    allowUnionTypes: true,
  });
  ajv.addVocabulary(['patternErrorMessage']);
  addFormats.default(ajv);
  const schema: unknown = JSON.parse(readFileSync(manifestSchema, 'utf8'));
  return ajv.compile<AgentManifest>(schema as object);
}
