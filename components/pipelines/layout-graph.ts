export interface GraphNode {
	name: string;
	needs: readonly string[];
}

export interface PlacedNode<N extends GraphNode> {
	node: N;
	x: number;
	y: number;
}

export interface GraphLayout<N extends GraphNode> {
	nodes: PlacedNode<N>[];
	/** From the right edge of a needed step to the left edge of the step. */
	edges: { from: string; to: string; x1: number; y1: number; x2: number; y2: number }[];
	width: number;
	height: number;
}

export const NODE = { width: 168, height: 44, gapX: 44, gapY: 12 } as const;

/** Steps in columns by the longest way from a step without needs. Nodes come in topological order. Linear in steps and edges. */
export function layoutGraph<N extends GraphNode>(nodes: readonly N[]): GraphLayout<N> {
	const columnOf = new Map<string, number>();
	const rowsIn: number[] = [];
	const placed = nodes.map((node): PlacedNode<N> => {
		const column = node.needs.reduce((most, need) => Math.max(most, (columnOf.get(need) ?? -1) + 1), 0);
		columnOf.set(node.name, column);
		const row = rowsIn[column] ?? 0;
		rowsIn[column] = row + 1;
		return { node, x: column * (NODE.width + NODE.gapX), y: row * (NODE.height + NODE.gapY) };
	});
	const byName = new Map(placed.map((one) => [one.node.name, one]));
	const edges = placed.flatMap(({ node, x, y }) =>
		node.needs.flatMap((need) => {
			const from = byName.get(need);
			if (!from) return [];
			const half = NODE.height / 2;
			return [{ from: need, to: node.name, x1: from.x + NODE.width, y1: from.y + half, x2: x, y2: y + half }];
		}),
	);
	return {
		nodes: placed,
		edges,
		width: Math.max(0, rowsIn.length * (NODE.width + NODE.gapX) - NODE.gapX),
		height: Math.max(0, ...rowsIn.map((rows) => rows * (NODE.height + NODE.gapY) - NODE.gapY)),
	};
}
