import { nodePageSchema } from "#server/contract/outputs/capacity.ts";
import { readAs } from "../client.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { count, NONE, number } from "../render/format.ts";
import { type Column, clean, table } from "../render/table.ts";

/** Rows of one page. */
const ROWS = 500;

/** `site nodes SITE`: the cluster's nodes by name, with state and reason; those that are down come first. */
export async function showNodes({ client, io, json }: CommandContext, id: string): Promise<ExitCode> {
	const read = async (cursor: string | null) => {
		const next = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
		return readAs(nodePageSchema, await client.get(`/sites/${encodeURIComponent(id)}/nodes?limit=${ROWS}${next}`), "nodes of a site");
	};
	let { items, counts, nextCursor } = await read(null);
	while (nextCursor !== null) {
		const page = await read(nextCursor);
		items = [...items, ...page.items];
		nextCursor = page.nextCursor;
	}
	if (json) {
		io.out(`${JSON.stringify({ items, nextCursor, counts })}\n`);
		return EXIT.done;
	}
	type Node = (typeof items)[number];
	const columns: Column<Node>[] = [
		{ head: "NODE", cell: (n) => n.name },
		{ head: "STATE", cell: (n) => n.state },
		{ head: "GPUS", cell: (n) => `${n.gpusUsed} of ${n.gpus}`, right: true },
		{ head: "POOL", cell: (n) => n.poolId ?? NONE },
		{ head: "WHY", cell: (n) => clean(n.reason ?? "") },
	];
	io.out(table<Node>(io, columns, items, { empty: "No nodes: the site is a cloud, or has not responded yet." }));
	const all = counts.ready + counts.closed + counts.down;
	if (all > 0)
		io.out(
			`${count(all, "node")}: ${number(counts.ready)} ready, ${number(counts.closed)} closed to new jobs, ${number(counts.down)} down\n`,
		);
	return EXIT.done;
}
