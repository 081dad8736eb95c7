import { expect, it } from "vitest";
import { prepareUse } from "./prepare-use.ts";

const pool = { siteId: "home", siteName: "Hall B", poolId: "train", accelerator: "H100-80GB", gpus: 16, shares: [null, 0.5, 0.996] };

it("labels UTC hours across midnight; a pool comes before its nodes", () => {
	const { hours, rows } = prepareUse({
		fromMs: Date.UTC(2026, 10, 10, 22),
		hours: 3,
		pools: [{ ...pool, nodes: [{ node: 0, shares: [null, 1, 1] }] }],
	});
	expect(hours).toEqual(["22", "23", "00"]);
	expect(rows.map((r) => [r.name, r.detail, r.isNode, r.mean])).toEqual([
		["Hall B, train", "16 × H100-80GB", false, "75 %"],
		["node 1", "", true, "100 %"],
	]);
});

it("distinguishes missing data from 0%, and the current hour from a full one", () => {
	const [row] = prepareUse({ fromMs: Date.UTC(2026, 10, 10, 8), hours: 3, pools: [{ ...pool, shares: [null, 0, 0.25], nodes: [] }] }).rows;
	expect(row?.cells.map((c) => [c.text, c.said, c.now])).toEqual([
		["–", "08:00: not owned yet", false],
		["0", "09:00: 0% of GPUs in use", false],
		["25", "10:00, so far: 25% of GPUs in use", true],
	]);
	expect(row?.mean).toBe("13 %");
});
