/** The files of the project that the service reads while it runs. */
import path from 'node:path';
import { projectRoot } from './project-root.js';

export const contractJson = path.join(projectRoot, 'generated/openapi.json');
export const contractYaml = path.join(projectRoot, 'generated/openapi.yaml');
export const manifestSchema = path.join(projectRoot, 'generated/agent-manifest.schema.json');
export const docsPage = path.join(projectRoot, 'dist/docs/index.html');
