import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { poolInterconnectsSchema } from "#server/domain/interconnect.ts";
import { defaultSpeeds, type PoolSpeeds, poolSpeedsSchema } from "#server/domain/pool-speed.ts";
import { plural } from "#server/domain/sentence-facts.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { cacheField } from "../cache-field.ts";
import { type CheckStep, checkSteps } from "../check-steps.ts";
import { mountsField } from "../mounts-field.ts";
import type { SiteKind, SitePlace } from "../site-kind.ts";
import { checkFolder } from "./check-folder.ts";
import { SlurmCalls } from "./client.ts";
import { SlurmDriver } from "./driver.ts";
import { PoolWatch } from "./pool-watch.ts";
import { scontrol } from "./scontrol.ts";
import { type ParsedSlurmSettings, slurmCredentialsSchema, slurmSettingsSchema } from "./settings.ts";

/**
 * Looked up on the server process's path, where only its operator installs programs. Any other program may have been written by
 * someone else.
 */
const PLAIN_SCONTROL = ["scontrol"];

/** A row also contains fields for accounting, and no token if one is stored for the site. */
const rowSchema = slurmSettingsSchema.extend({
	token: slurmSettingsSchema.shape.token.optional(),
	gridZone: z.string().min(1).optional(),
	pue: z.number().min(1).max(3).optional(),
	speeds: poolSpeedsSchema.optional(),
	interconnect: poolInterconnectsSchema.optional(),
});

/** @param dataRemotes default for every Slurm site of this process without its own */
export function slurmSiteKind({ dataRemotes }: { dataRemotes?: string | undefined } = {}): SiteKind {
	const parse = ({ settings, credentials }: SitePlace): ParsedSlurmSettings => {
		const { gridZone: _, pue: __, speeds: ___, interconnect: ____, token, ...row } = rowSchema.parse(settings);
		const stored = credentials === null ? undefined : { value: slurmCredentialsSchema.parse(credentials).token };
		return slurmSettingsSchema.parse({ dataRemotes, ...row, token: stored ?? token });
	};
	return {
		provider: "slurm",
		title: "Slurm",
		owned: true,
		docs: "providers/slurm.md",
		settings: rowSchema,
		guarded: ({ token, dataRemotes: remotes, scontrol: program }) => ({
			...(typeof token === "object" && token !== null && "command" in token ? { token: token.command } : {}),
			...(remotes === undefined ? {} : { dataRemotes: remotes }),
			...(program === undefined || isDeepStrictEqual(program, PLAIN_SCONTROL) ? {} : { scontrol: program }),
		}),
		sentTo: ({ url }) => url,
		credentials: slurmCredentialsSchema,
		withoutCredentials: "The token file below, which you renew yourself.",
		fields: [
			{
				...{ name: "url", label: "Address of slurmrestd", input: "text", required: true, placeholder: "http://slurm.example.com:6820" },
				hint: "The address that Spillway's scheduler uses.",
			},
			{
				name: "user",
				label: "User",
				input: "text",
				required: true,
				placeholder: "spillway",
				hint: "The user who submits jobs. The scheduler must run as the same user.",
			},
			{
				...{ name: "folder", label: "Shared folder", input: "text", required: true, placeholder: "/shared/spillway/site" },
				hint: "The same path on this host and on every node, owned by that user. Use a separate folder for each site.",
			},
			{
				...{ name: "accelerators", label: "Accelerators", input: "map", required: true, placeholder: "h100 = H100-80GB" },
				hint: "GRES type = accelerator model. Use gpu for GPUs without a type.",
			},
			{
				...{ name: "token", label: "Token file", input: "json", required: false, placeholder: '{"file": "/shared/spillway/.token"}' },
				hint: "A file with a current token. Not needed with a stored token, but a stored token is not renewed.",
			},
			{
				...{ name: "partitions", label: "Partitions", input: "lines", required: false, placeholder: "gpu" },
				hint: "One per line, preferred first. If empty, all that are up.",
			},
			{ name: "account", label: "Account", input: "text", required: false, hint: "Slurm account that jobs are submitted to." },
			{
				...{ name: "container", label: "Containers", input: "text", required: false, options: ["none", "pyxis", "apptainer"] },
				hint: "How a job's image is run. none: jobs with an image are not placed here.",
			},
			{
				name: "gridZone",
				label: "Grid zone",
				input: "text",
				required: false,
				placeholder: "DE",
				hint: "Electricity grid zone for CO2, such as DE or US-MIDA-PJM.",
			},
			{
				...{ name: "speeds", label: "Speeds", input: "map", required: false, placeholder: "H100-80GB = 2" },
				hint: "Speed of a pool or accelerator relative to cloud instances and unlisted pools: 2 means half the run time.",
			},
			{
				...{ name: "interconnect", label: "Interconnect", input: "map", required: false, placeholder: "H100-80GB = high" },
				hint: "Network between the nodes of a pool or accelerator: high or none. Jobs that need a high-bandwidth interconnect avoid none.",
			},
			mountsField({ type: "lustre", source: "/lustre/imagenet" }, "The source is a folder that every node has mounted."),
			cacheField(),
		],
		credentialFields: [
			{
				...{ name: "token", label: "Token", input: "secret", required: true },
				hint: "As printed by scontrol token. Stored encrypted and never shown again. Tokens expire: prefer a token file that you renew.",
			},
		],
		open: (place) => ({ kind: "cluster", driver: new SlurmDriver(place.siteId, parse(place)) }),
		check: (place) => checkSlurmSite(parse(place), rowSchema.parse(place.settings).speeds),
	};
}

function checkSlurmSite(settings: ParsedSlurmSettings, speeds: PoolSpeeds | undefined): AsyncGenerator<CheckStep> {
	const calls = new SlurmCalls(settings, systemClock);
	const pools = new PoolWatch(settings, calls, systemClock);
	return checkSteps([
		{
			...{ id: "version", title: "slurmrestd", decisive: true },
			fix: "Check that slurmrestd runs, that this host can reach it, and that there is a token. See docs/providers/slurm.md.",
			look: async () => `${settings.url} speaks ${await calls.version()}.`,
		},
		{
			...{ id: "identity", title: "Token", decisive: true },
			fix: `Create a new one: scontrol token username=${settings.user} lifespan=86400. Slurm 22.05 answers an invalid token with error 500 and no message.`,
			look: async () => `Slurm shows ${plural((await calls.nodes()).length, "node")} to ${settings.user}.`,
		},
		{
			...{ id: "partitions", title: "Partitions" },
			fix: "Correct the site's partitions, or leave them empty to use all that are up.",
			async look() {
				const found = await calls.partitions();
				const up = found.filter((p) => p.up).map((p) => p.name);
				const missing = (settings.partitions ?? []).filter((name) => !up.includes(name));
				if (missing.length > 0) return { failed: `Missing or down: ${missing.join(", ")}. Up: ${up.join(", ") || "none"}.` };
				return `Used: ${(settings.partitions ?? up).join(", ")}.`;
			},
		},
		{
			...{ id: "pools", title: "GPUs" },
			fix: "Correct Accelerators: the left side is a GRES type as shown by `sinfo -o %G`. Speeds name a pool or an accelerator model.",
			async look() {
				const seen = await pools.now();
				const text = seen.map((p) => `${p.id} (${p.nodes.length} × ${p.gpusPerNode} ${p.accelerator})`).join(", ");
				const idle = defaultSpeeds(speeds, seen);
				return idle.length > 0
					? { failed: `Speeds for unknown pools or accelerators: ${idle.join(", ")}. Pools: ${text}.` }
					: `Pools: ${text}.`;
			},
		},
		{
			...{ id: "folder", title: "Shared folder" },
			fix: `Mount or create it on the scheduler's host and on every node, owned by ${settings.user}, and run Spillway as ${settings.user}.`,
			look: () => checkFolder(settings),
		},
		{
			...{ id: "adoption", title: "Other users' jobs" },
			fix: "Set up scontrol on the scheduler's host (slurm.conf and munge), or leave it out to only watch other users' jobs.",
			look: () => checkScontrol(settings),
		},
	]);
}

/** The right to hold and cancel jobs of others shows only when it is used, because a test would change a job. */
async function checkScontrol({ scontrol: program, answerTimeoutMs, user }: ParsedSlurmSettings) {
	if (program === undefined) return "Watched only: adoption needs scontrol.";
	const said = (await scontrol(program, ["ping"], answerTimeoutMs)).trim();
	if (!said.includes("UP")) return { failed: `scontrol does not reach a controller: ${said}` };
	return `scontrol reaches the cluster. To hold jobs, ${user} must be a Slurm operator; this is not tested here.`;
}
