import { randomUUID } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { defaultSpeeds, type PoolSpeeds, poolSpeedsSchema } from "#server/domain/pool-speed.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { type CheckStep, checkSteps } from "../check-steps.ts";
import type { SiteKind, SitePlace } from "../site-kind.ts";
import { SlurmCalls } from "./client.ts";
import { SlurmDriver } from "./driver.ts";
import { PoolWatch } from "./pool-watch.ts";
import { scontrol } from "./scontrol.ts";
import { type ParsedSlurmSettings, slurmCredentialsSchema, slurmSettingsSchema } from "./settings.ts";

/**
 * Found on the path of the server's own process, where only who runs it puts programs. Any other is one that somebody else may have
 * written.
 */
const PLAIN_SCONTROL = ["scontrol"];

/** A row has what the books read too, and no token where one is stored for the site. */
const rowSchema = slurmSettingsSchema.extend({
	token: slurmSettingsSchema.shape.token.optional(),
	gridZone: z.string().min(1).optional(),
	pue: z.number().min(1).max(3).optional(),
	speeds: poolSpeedsSchema.optional(),
});

/** @param dataRemotes of this process, for every Slurm site without its own */
export function slurmSiteKind({ dataRemotes }: { dataRemotes?: string | undefined } = {}): SiteKind {
	const parse = ({ settings, credentials }: SitePlace): ParsedSlurmSettings => {
		const { gridZone: _, pue: __, speeds: ___, token, ...row } = rowSchema.parse(settings);
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
		withoutCredentials: "A token in the file below, which somebody keeps fresh.",
		fields: [
			{
				...{ name: "url", label: "Address of slurmrestd", input: "text", required: true, placeholder: "http://slurm.example.com:6820" },
				hint: "As the host of Spillway's scheduler reaches it.",
			},
			{
				name: "user",
				label: "User",
				input: "text",
				required: true,
				placeholder: "spillway",
				hint: "The user that submits jobs; the scheduler runs as the same user.",
			},
			{
				...{ name: "folder", label: "Shared folder", input: "text", required: true, placeholder: "/shared/spillway/site" },
				hint: "The same path on this host and on every node, owned by that user; one folder a site.",
			},
			{
				...{ name: "accelerators", label: "Accelerators", input: "map", required: true, placeholder: "h100 = H100-80GB" },
				hint: "What the cluster's GRES types are called here. gpu stands for GPUs without a type.",
			},
			{
				...{ name: "token", label: "Token file", input: "json", required: false, placeholder: '{"file": "/shared/spillway/.token"}' },
				hint: "Where a fresh token lies. Not needed with a stored one, which ends when it ends.",
			},
			{
				...{ name: "partitions", label: "Partitions", input: "lines", required: false, placeholder: "gpu" },
				hint: "The preferred first, one a line. Empty: all that are up.",
			},
			{ name: "account", label: "Account", input: "text", required: false, hint: "Given with every job." },
			{
				...{ name: "container", label: "Containers", input: "text", required: false, options: ["none", "pyxis", "apptainer"] },
				hint: "How a job's image is run.",
			},
			{
				name: "gridZone",
				label: "Grid zone",
				input: "text",
				required: false,
				placeholder: "DE",
				hint: "For carbon, such as DE or US-MIDA-PJM.",
			},
			{
				...{ name: "speeds", label: "Speeds", input: "map", required: false, placeholder: "H100-80GB = 2" },
				hint: "How fast jobs run in a pool or on an accelerator, beside cloud machines and pools not named here: 2 is half the time.",
			},
		],
		credentialFields: [
			{
				...{ name: "token", label: "Token", input: "secret", required: true },
				hint: "As scontrol token prints it. Stored encrypted, never shown again. It ends: a file that is kept fresh is better.",
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
			...{ id: "version", title: "slurmrestd answers", decisive: true },
			fix: "See that slurmrestd runs, that this host reaches the address, and that a token is there. docs/providers/slurm.md says what it needs.",
			look: async () => `${settings.url} speaks ${await calls.version()}.`,
		},
		{
			...{ id: "identity", title: "The token is taken", decisive: true },
			fix: `Make a new one: scontrol token username=${settings.user} lifespan=86400. 22.05 answers a refused token with a wordless error 500.`,
			look: async () => `Slurm shows ${(await calls.nodes()).length} nodes to ${settings.user}.`,
		},
		{
			...{ id: "partitions", title: "Partitions" },
			fix: "Correct the partitions of the site, or leave them out to use all that are up.",
			async look() {
				const found = await calls.partitions();
				const up = found.filter((p) => p.up).map((p) => p.name);
				const missing = (settings.partitions ?? []).filter((name) => !up.includes(name));
				if (missing.length > 0) return { failed: `Not there, or down: ${missing.join(", ")}. Up: ${up.join(", ") || "none"}.` };
				return `Used: ${(settings.partitions ?? up).join(", ")}.`;
			},
		},
		{
			...{ id: "pools", title: "GPUs" },
			fix: "Correct the accelerators: the left side is a GRES type as `sinfo -o %G` shows it. Speeds go by a pool or an accelerator as named here.",
			async look() {
				const seen = await pools.now();
				const text = seen.map((p) => `${p.id} (${p.nodes.length} × ${p.gpusPerNode} ${p.accelerator})`).join(", ");
				const idle = defaultSpeeds(speeds, seen);
				return idle.length > 0
					? { failed: `Speeds that name no pool and no accelerator here: ${idle.join(", ")}. Pools: ${text}.` }
					: `Pools: ${text}.`;
			},
		},
		{
			...{ id: "folder", title: "Shared folder" },
			fix: `Mount it or make it, owned by ${settings.user}, on the host of Spillway's scheduler and on every node.`,
			look: () => lookAtFolder(settings.folder),
		},
		{
			...{ id: "adoption", title: "Jobs of others" },
			fix: "Have scontrol find the cluster on the host of Spillway's scheduler (slurm.conf and munge), or leave it out to watch only.",
			look: () => lookAtScontrol(settings),
		},
	]);
}

/** Whether it can be written to from here; whether the nodes have it too, the first job shows. */
async function lookAtFolder(folder: string) {
	const found = await stat(folder).catch(() => null);
	if (!found?.isDirectory()) return { failed: `${folder} is no folder on this host.` };
	const probe = path.join(folder, `.check-${randomUUID()}`);
	await writeFile(probe, "");
	await rm(probe);
	return `${folder} is there, and this host may write to it.`;
}

/** The right to hold and to cancel jobs of others shows when it is used: asking for it would change one. */
async function lookAtScontrol({ scontrol: program, answerTimeoutMs, user }: ParsedSlurmSettings) {
	if (program === undefined) return "They are watched, and none is adopted: that needs scontrol.";
	const said = (await scontrol(program, ["ping"], answerTimeoutMs)).trim();
	if (!said.includes("UP")) return { failed: `scontrol reaches no controller: ${said}` };
	return `scontrol reaches the cluster; holding them needs ${user} to be an operator, which is not tried here.`;
}
