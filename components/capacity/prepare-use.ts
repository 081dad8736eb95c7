import type { Outputs } from "#components/trpc/outputs.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

type Use = Outputs["site"]["useByHour"];

export interface UseRow {
	id: string;
	name: string;
	/** "16 × H100-80GB" for a pool, empty for a node. */
	detail: string;
	/** Nodes are indented under their pool. */
	isNode: boolean;
	cells: { id: string; text: string; said: string; share: number | null; now: boolean }[];
	mean: string;
}

/** Heat table: pools and nodes by hour; percent of the hour with a job on the GPU. */
export function prepareUse(use: Use): { hours: string[]; rows: UseRow[] } {
	const hours = Array.from({ length: use.hours }, (_, i) => String(new Date(use.fromMs + i * HOUR_MS).getUTCHours()).padStart(2, "0"));
	const row = (id: string, names: Pick<UseRow, "name" | "detail" | "isNode">, shares: readonly (number | null)[]): UseRow => {
		const known = shares.filter((share) => share !== null);
		return {
			...{ id, ...names },
			cells: shares.map((share, i) => {
				const [hour = "", now] = [hours[i], i === use.hours - 1];
				const text = share === null ? "–" : String(Math.round(share * 100));
				const said = share === null ? "not owned yet" : `${text}% of GPUs in use`;
				return { id: `${id}/${i}`, text, said: `${hour}:00${now ? ", so far" : ""}: ${said}`, share, now };
			}),
			mean: known.length === 0 ? "–" : `${Math.round((known.reduce((a, b) => a + b, 0) / known.length) * 100)} %`,
		};
	};
	const rows = use.pools.flatMap((pool) => [
		row(
			`${pool.siteId}/${pool.poolId}`,
			{ name: `${pool.siteName}, ${pool.poolId}`, detail: `${pool.gpus} × ${pool.accelerator}`, isNode: false },
			pool.shares,
		),
		...pool.nodes.map(({ node, shares }) =>
			row(`${pool.siteId}/${pool.poolId}/${node}`, { name: `node ${node + 1}`, detail: "", isNode: true }, shares),
		),
	]);
	return { hours, rows };
}
