import { expect, it } from "vitest";
import { findingsOf } from "./site-check.ts";

const NOW_MS = Date.UTC(2026, 10, 22, 12);
const pool = { accelerator: "H100-80GB", gpus: 8 };
const wrong = (changes: Partial<Parameters<typeof findingsOf>[0]>) => {
	const site = {
		...{ id: "cluster", name: "Cluster", provider: "slurm", enabled: true, healthy: true, healthMessage: null },
		...{ lastSeenAt: new Date(NOW_MS - 5_000).toISOString(), gpusBusy: 0, gpusTotal: 8, instancesLive: 0 },
		...{ burnMicroUsdPerHour: "0", regions: [], pools: [pool] },
		...changes,
	};
	return findingsOf(site, NOW_MS)
		.filter((f) => !f.good)
		.map((f) => f.text);
};

it.each([
	["nothing for a healthy site", {}, []],
	["nothing for a cloud, which has no pools", { provider: "aws", gpusTotal: null, pools: [] }, []],
	["that it is disabled, and nothing else", { enabled: false, healthy: false }, [/^disabled/]],
	[
		"why it does not respond",
		{ healthy: false, healthMessage: "Slurm: nodes: slurmrestd does not answer" },
		[/slurmrestd does not answer/],
	],
	["that it was not checked yet", { healthy: false, lastSeenAt: null }, [/no scheduler has contacted it yet/]],
	[
		"that no scheduler checks it",
		{ lastSeenAt: new Date(NOW_MS - 3_600_000).toISOString() },
		[/^last seen 1h.*Check that a scheduler runs/],
	],
	[
		"pools without a price",
		{ healthMessage: "pools without a price are not used: gpu-h100x8", pools: [] },
		[/gpu-h100x8/, /^no pool has a price/],
	],
] as const)("finds %s", (_what, changes, texts) => {
	const found = wrong(changes);
	expect(found).toHaveLength(texts.length);
	for (const [i, text] of texts.entries()) expect(found[i]).toMatch(text);
});
