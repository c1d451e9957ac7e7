#!/usr/bin/env node
/* Committed because npm links the command of a workspace before the workspace is built. */
import '../dist/cli.mjs';
