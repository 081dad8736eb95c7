import { siteSchema } from "#server/contract/outputs/capacity.ts";
import { pageOf } from "#server/contract/parts.ts";
import { readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { ago, count, hourly, NONE } from "../render/format.ts";
import { styleOfState } from "../render/style.ts";
import { table } from "../render/table.ts";

type Site = ReturnType<typeof siteSchema.parse>;

export const sites: Command = {
	name: "sites",
	usage: "",
	summary: "show sites with their capacity and health",
	options: {},
	positionals: { min: 0, max: 0, name: "" },
	examples: ["spillway sites"],
	async run(ctx) {
		const { io } = ctx;
		const answer = await ctx.client.get("/sites");
		if (ctx.json) {
			io.out(`${answer.text}\n`);
			return EXIT.done;
		}
		const nowMs = io.nowMs();
		io.out(
			table<Site>(
				io,
				[
					{ head: "SITE", cell: (s) => s.id },
					{ head: "NAME", cell: (s) => s.name },
					{ head: "PROVIDER", cell: (s) => s.provider },
					{ head: "STATE", cell: stateOf, style: (s) => styleOfState(stateOf(s)) },
					{ head: "GPUS IN USE", cell: (s) => (s.gpusTotal === null ? `${s.gpusBusy}` : `${s.gpusBusy} of ${s.gpusTotal}`), right: true },
					{ head: "INSTANCES", cell: (s) => (s.gpusTotal === null ? String(s.instancesLive) : NONE), right: true },
					{ head: "BURN", cell: (s) => (s.gpusTotal === null ? hourly(s.burnMicroUsdPerHour) : NONE), right: true },
					{ head: "SEEN", cell: (s) => ago(s.lastSeenAt, nowMs), right: true },
					{ head: "WHAT", cell: whatOf },
				],
				readAs(pageOf(siteSchema), answer, "list of sites").items,
				{ empty: "No sites are connected." },
			),
		);
		return EXIT.done;
	},
};

function stateOf(site: Site): string {
	return site.enabled ? (site.healthy ? "healthy" : "unhealthy") : "disabled";
}

function whatOf(site: Site): string {
	if (site.healthMessage !== null) return site.healthMessage;
	const pools = site.pools.map((p) => `${p.gpus} × ${p.accelerator}${p.speed === 1 ? "" : `, ${p.speed} × as fast`}`);
	return site.regions.length > 0 ? `${count(site.regions.length, "region")}: ${site.regions.join(", ")}` : pools.join(", ");
}
