/** Generates the client's types. Each schema and query is a separate declaration, so that editors show its name. */

import ts from 'typescript';
import type { Contract } from '../lib/contract.js';
import { followObject, isObject, isReference } from '../lib/json.js';
import { asJson } from './bundle.js';
import { pascal } from './client-text.js';
import { typeNodesOf } from './types.js';

export async function clientTypes(contract: Contract): Promise<string> {
  const { astToString } = await import('openapi-typescript');
  const nodes = await typeNodesOf(asJson(withFieldDescriptions(contract)), {
    // A caller may omit fields with a default; in the server's types they are always present.
    defaultNonNullable: false,
    rootTypes: false,
  });
  const declarations: ts.Statement[] = [];
  const rest = nodes.map((node) => hoist(node, declarations));
  return readable(astToString([...declarations, ...rest]));
}

/** A field without a description gets that of the schema that it refers to. */
function withFieldDescriptions(contract: Contract): Contract {
  const copy = structuredClone(contract);
  for (const schema of Object.values(copy.components?.schemas ?? {})) {
    const { properties } = followObject(copy, schema);
    for (const property of Object.values(isObject(properties) ? properties : {})) {
      if (!isReference(property) || 'description' in property) continue;
      Object.assign(property, { description: followObject(copy, property)['description'] });
    }
  }
  return copy;
}

/** Moves schemas and queries out of an interface into `declarations`, and replaces them by references. */
function hoist(root: ts.Node, declarations: ts.Statement[]): ts.Node {
  const visitMembers = (node: ts.Node, path: string[]): ts.Node =>
    ts.visitEachChild(node, (child) => visit(child, path), undefined);
  const visit = (node: ts.Node, path: string[]): ts.Node => {
    if (!ts.isPropertySignature(node) || !node.type) return visitMembers(node, path);
    const memberPath = [...path, ts.isComputedPropertyName(node.name) ? '' : node.name.text];
    const name = declarationName(memberPath, node.type);
    if (name === undefined) return visitMembers(node, memberPath);
    declarations.push(declarationOf(name, node.type, node));
    const { modifiers, questionToken } = node;
    const reference = ts.factory.createTypeReferenceNode(name);
    return ts.factory.createPropertySignature(modifiers, node.name, questionToken, reference);
  };
  return ts.isInterfaceDeclaration(root) ? visitMembers(root, [root.name.text]) : root;
}

function declarationName([top, second, third, fourth]: string[], type: ts.TypeNode) {
  if (top === 'components' && second === 'schemas') return third;
  const isQuery = top === 'operations' && third === 'parameters' && fourth === 'query';
  return isQuery && ts.isTypeLiteralNode(type) ? `${pascal(second ?? '')}Query` : undefined;
}

/** Keeps the documentation of the member. */
function declarationOf(name: string, type: ts.TypeNode, member: ts.Node): ts.Statement {
  const { factory } = ts;
  const exported = [factory.createModifier(ts.SyntaxKind.ExportKeyword)];
  const declaration = ts.isTypeLiteralNode(type)
    ? factory.createInterfaceDeclaration(exported, name, undefined, undefined, type.members)
    : factory.createTypeAliasDeclaration(exported, name, undefined, type);
  return ts.setSyntheticLeadingComments(declaration, ts.getSyntheticLeadingComments(member));
}

/** Uses names instead of paths, and descriptions as plain text instead of tags, which editors show smaller. */
function readable(source: string): string {
  return source
    .replaceAll(/components\["schemas"\]\["(\w+)"\]/g, '$1')
    .replaceAll(/^( *\* )([^@\s].*)\n *\* @description /gm, '$1$2\n$1\n$1')
    .replaceAll('@description ', '')
    .replaceAll(' (enum property replaced by openapi-typescript)', '')
    .replaceAll(/ +$/gm, '');
}
