/** Parses and validates agent manifests, and reports problems with line and column. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import { type Document, LineCounter, parseAllDocuments } from 'yaml';
import type { AgentManifest } from '../../generated/manifest.js';
import { manifestSchema } from '../contract/project-files.js';
import { explainErrors, type LocatedProblem } from './manifest-problems.js';

interface ManifestProblem {
  line: number;
  column: number;
  message: string;
}

type ParsedManifests = { manifests: AgentManifest[] } | { problems: ManifestProblem[] };

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
  if (problems.length === 0) return { manifests: manifests.map(({ manifest }) => manifest) };
  return {
    problems: problems
      .sort((one, other) => one.offset - other.offset)
      .map(({ offset, message }) => {
        const { line, col } = lines.linePos(offset);
        return { line, column: col, message };
      }),
  };
}

type ParsedDocument = { manifest: AgentManifest; offset: number } | { problems: LocatedProblem[] };

function parseDocument(document: Document.Parsed): ParsedDocument {
  // Later errors are mostly consequences of the first.
  const [error] = document.errors;
  if (error) {
    const [reason] = error.message.split(' at line ');
    return { problems: [{ offset: error.pos[0], message: `not valid YAML: ${reason}` }] };
  }
  const manifest: unknown = document.toJS();
  validate ??= compile();
  if (validate(manifest)) return { manifest, offset: document.contents?.range[0] ?? 0 };
  const { errors, schema } = validate;
  return { problems: explainErrors(errors ?? [], document, schema as object) };
}

let validate: ValidateFunction<AgentManifest> | undefined;

function compile(): ValidateFunction<AgentManifest> {
  const ajv = new Ajv2020({ allErrors: true, useDefaults: true, verbose: true });
  ajv.addVocabulary(['patternErrorMessage']);
  addFormats.default(ajv);
  const schema: unknown = JSON.parse(readFileSync(manifestSchema, 'utf8'));
  return ajv.compile<AgentManifest>(schema as object);
}
