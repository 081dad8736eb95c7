import type { ASTNode } from "@marcbachmann/cel-js";

/** The direct child nodes, whatever lists they are in. */
export function nodesIn(node: ASTNode): ASTNode[] {
	const found: ASTNode[] = [];
	const collect = (value: unknown): void => {
		if (Array.isArray(value)) for (const item of value) collect(item);
		else if (isNode(value)) found.push(value);
	};
	collect(node.args);
	return found;
}

/** Only parser nodes are objects with these three fields; literals are texts, numbers, booleans, null or bytes. */
function isNode(value: unknown): value is ASTNode {
	return value !== null && typeof value === "object" && "op" in value && "args" in value && "start" in value;
}
