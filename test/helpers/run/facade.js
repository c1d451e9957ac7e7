/**
 * Compiles a module of the server, for a test, to one that hands on the exports of the built module which the worker has
 * imported natively. So a worker evaluates the server and its dependencies once, and not for every test file.
 */
import path from 'node:path';
import { parseSync, transformSync } from '@swc/core';

const native = path.join(import.meta.dirname, 'native.ts');

/** @type {import('@jest/transform').SyncTransformer} */
export default {
  process(source, file, { config: { rootDir } }) {
    const built = path.relative(rootDir, file).replace(/ts$/, 'js');
    const code = [
      `import { importBuilt } from ${JSON.stringify(native)};`,
      `const module = await importBuilt(${JSON.stringify(built)});`,
      ...exportsOf(source),
    ].join('\n');
    return { code };
  },
};

/**
 * An export for each value that it exports; types are gone from its JavaScript.
 *
 * @param {string} source
 * @returns {string[]}
 */
function exportsOf(source) {
  const { code } = transformSync(source, {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  });
  const { body } = parseSync(code, { syntax: 'ecmascript', target: 'es2022' });
  return body.flatMap((item) => {
    if (item.type === 'ExportDeclaration') return declared(item.declaration).map(handOn);
    if (item.type === 'ExportNamedDeclaration') return item.specifiers.map(nameOf).map(handOn);
    if (item.type === 'ExportAllDeclaration') return `export * from '${item.source.value}';`;
    if (item.type.startsWith('Export')) throw new Error(`${item.type} has no name to hand on.`);
    return [];
  });
}

/** @param {string} name */
function handOn(name) {
  return `const own_${name} = module.${name};\nexport { own_${name} as ${name} };`;
}

/**
 * @param {import('@swc/core').Declaration} declaration
 * @returns {string[]}
 */
function declared(declaration) {
  if (declaration.type === 'VariableDeclaration') {
    return declaration.declarations.map(({ id }) => {
      if (id.type === 'Identifier') return id.value;
      throw new Error('Export each name by a declaration of its own.');
    });
  }
  return 'identifier' in declaration ? [declaration.identifier.value] : [];
}

/** @param {import('@swc/core').ExportSpecifier} specifier */
function nameOf(specifier) {
  if (specifier.type === 'ExportNamespaceSpecifier') return specifier.name.value;
  if (specifier.type === 'ExportSpecifier') return (specifier.exported ?? specifier.orig).value;
  throw new Error('Export names one by one.');
}
