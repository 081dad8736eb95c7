import { access, constants } from "node:fs/promises";
import { z } from "zod";
import { folderProblem } from "#server/agent/mount-folders.ts";
import { poolSpeedsSchema } from "#server/domain/pool-speed.ts";
import { cacheOf, siteCacheSchema } from "#server/domain/site-cache.ts";
import { mountsOf, type SiteMount, siteMountsSchema } from "#server/domain/site-mount.ts";
import { cacheField } from "../cache-field.ts";
import { checkSteps, type PlannedStep } from "../check-steps.ts";
import { mountsField } from "../mounts-field.ts";
import type { SiteKind, SitePlace } from "../site-kind.ts";
import { whyNotOtherUsers } from "./job-user.ts";
import { LocalDriver } from "./local-driver.ts";
import { assertLocalSiteAllowed, type LocalSettings } from "./settings.ts";

const rowSchema = z.strictObject({
	gridZone: z.string().min(1).optional(),
	pue: z.number().min(1).max(3).optional(),
	speeds: poolSpeedsSchema.optional(),
	mounts: siteMountsSchema(["folder"]).optional(),
	cache: siteCacheSchema.optional(),
});

/**
 * This host, for a workstation. Its jobs run as the server's own user, so the operator must allow it by SPILLWAY_LOCAL_SLOTS.
 * @param options.host the address that the web server binds to
 * @param options.isKnown whether prices and speeds of an accelerator model are known
 */
export function localSiteKind(options: { host: string; settings: LocalSettings; isKnown: (accelerator: string) => boolean }): SiteKind {
	const { host, settings, isKnown } = options;
	return {
		provider: "local",
		title: "This host",
		owned: true,
		single: true,
		docs: "providers/local.md",
		settings: rowSchema,
		guarded: () => ({}),
		sentTo: () => null,
		credentials: null,
		withoutCredentials: "Not needed: jobs run on this host.",
		fields: [
			{
				...{ name: "gridZone", label: "Grid zone", input: "text", required: false, placeholder: "DE" },
				hint: "Electricity grid zone for CO2, such as DE or US-MIDA-PJM.",
			},
			{
				...{ name: "speeds", label: "Speeds", input: "map", required: false, placeholder: "local = 2" },
				hint: "Speed of a pool or accelerator relative to cloud instances and unlisted pools: 2 means half the run time.",
			},
			mountsField({ type: "local", source: "/data/imagenet" }, "The source is a folder of this host."),
			cacheField(),
		],
		credentialFields: [],
		open({ siteId, settings: row }: SitePlace) {
			assertLocalSiteAllowed(host);
			return { kind: "cluster", driver: new LocalDriver(siteId, { ...settings, mounts: mountsOf(row), cache: cacheOf(row) }) };
		},
		check: ({ settings: row }) =>
			checkSteps([
				{
					...{ id: "host", title: "Address", decisive: true },
					fix: "Set SPILLWAY_HOST=127.0.0.1 and restart Spillway, or connect a cluster instead.",
					async look() {
						assertLocalSiteAllowed(host);
						return `Spillway listens on ${host} only.`;
					},
				},
				{
					...{ id: "pools", title: "GPUs" },
					fix: "Set SPILLWAY_LOCAL_ACCELERATOR to a model that Spillway knows, and restart Spillway.",
					look: async () =>
						isKnown(settings.accelerator)
							? `${settings.slots} × ${settings.accelerator}, as set by SPILLWAY_LOCAL_SLOTS and SPILLWAY_LOCAL_ACCELERATOR.`
							: { failed: `${settings.accelerator} is not a known accelerator.` },
				},
				{
					...{ id: "folder", title: "Work folder" },
					fix: "Make SPILLWAY_HOME writable for the user that runs Spillway.",
					async look() {
						await access(settings.home, constants.W_OK);
						return `${settings.home} is writable.`;
					},
				},
				userStep(settings.home),
				...mountSteps(mountsOf(row)),
			]),
	};
}

/** Not a failure: on a person's own workstation, jobs may run as that person. */
function userStep(home: string): PlannedStep {
	const fix = "Do not let others submit jobs here, or start Spillway as root in a folder that every user may enter.";
	return {
		...{ id: "user", title: "User of jobs", fix },
		async look() {
			const why = whyNotOtherUsers(home);
			if (why === null) return "Each job has its own unprivileged user.";
			return { unknown: `Jobs run as Spillway's own user and can read its secrets: ${why}.`, fix };
		},
	};
}

function mountSteps(mounts: readonly SiteMount[]): PlannedStep[] {
	if (mounts.length === 0) return [];
	return [
		{
			...{ id: "mounts", title: "Mounts" },
			fix: "Mount the file systems on this host, or correct the sources under Mounts.",
			async look() {
				const found = await Promise.all(mounts.map(({ source }) => folderProblem(source)));
				const problems = found.filter((problem) => problem !== null);
				return problems.length > 0 ? { failed: `${problems.join("; ")}.` } : `Found: ${mounts.map(({ name }) => name).join(", ")}.`;
			},
		},
	];
}
