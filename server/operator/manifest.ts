/** Parses and validates an agent manifest, and reports problems with line and column. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import { LineCounter, parseDocument } from 'yaml';
import type { AgentManifest } from '../../generated/manifest.js';
import { manifestSchema } from '../lib/project-files.js';
import { explainErrors } from './manifest-problems.js';

export interface ManifestProblem {
  line: number;
  column: number;
  message: string;
}

export type ParsedManifest = { manifest: AgentManifest } | { problems: ManifestProblem[] };

/** Settings that the manifest omits get the schema's defaults. */
export function parseManifest(text: string): ParsedManifest {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const position = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (document.errors.length > 0) {
    return {
      problems: document.errors.map(({ message, pos }) => ({
        ...position(pos[0]),
        message: message.split(' at line ')[0] ?? message,
      })),
    };
  }
  const manifest: unknown = document.toJS();
  validate ??= compile();
  if (validate(manifest)) return { manifest };
  return {
    problems: explainErrors(validate.errors ?? [], document).map(({ offset, message }) => ({
      ...position(offset),
      message,
    })),
  };
}

let validate: ValidateFunction<AgentManifest> | undefined;

function compile(): ValidateFunction<AgentManifest> {
  const ajv = new Ajv2020({ allErrors: true, useDefaults: true, verbose: true });
  ajv.addVocabulary(['patternErrorMessage']);
  addFormats.default(ajv);
  const schema: unknown = JSON.parse(readFileSync(manifestSchema, 'utf8'));
  return ajv.compile<AgentManifest>(schema as object);
}
