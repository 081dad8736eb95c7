import type { Outputs } from "#components/trpc/outputs.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

type Use = Outputs["site"]["useByHour"];

export interface UseRow {
	id: string;
	name: string;
	/** "16 × H100-80GB" of a pool, nothing of a node. */
	detail: string;
	/** A node stands under its pool. */
	isNode: boolean;
	cells: { id: string; text: string; said: string; share: number | null; now: boolean }[];
	mean: string;
}

/** Pools and their nodes as rows, hours as columns: percent of the hour in which a job held the GPU. */
export function prepareUse(use: Use): { hours: string[]; rows: UseRow[] } {
	const hours = Array.from({ length: use.hours }, (_, i) => String(new Date(use.fromMs + i * HOUR_MS).getUTCHours()).padStart(2, "0"));
	const row = (id: string, names: Pick<UseRow, "name" | "detail" | "isNode">, shares: readonly (number | null)[]): UseRow => {
		const known = shares.filter((share) => share !== null);
		return {
			...{ id, ...names },
			cells: shares.map((share, i) => {
				const [hour = "", now] = [hours[i], i === use.hours - 1];
				const text = share === null ? "–" : String(Math.round(share * 100));
				const said = share === null ? "not owned yet" : `${text} % of the GPUs held`;
				return { id: `${id}/${i}`, text, said: `${hour}:00${now ? ", until now" : ""}: ${said}`, share, now };
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
