/** Finds the type `any` in declarations with the compiler's parser, which ignores the word in comments. */
import ts from 'typescript';

/** Returns each occurrence as `line: text of the line`. */
export function anyIn(declarations: string): string[] {
  const file = ts.createSourceFile('index.d.ts', declarations, ts.ScriptTarget.Latest);
  const lines = declarations.split('\n');
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      found.push(`${line + 1}: ${lines[line]?.trim()}`);
    }
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}
