import { access, constants } from "node:fs/promises";
import { z } from "zod";
import { poolSpeedsSchema } from "#server/domain/pool-speed.ts";
import { checkSteps } from "../check-steps.ts";
import type { SiteKind, SitePlace } from "../site-kind.ts";
import { LocalDriver } from "./local-driver.ts";
import { assertLocalSiteAllowed, type LocalSettings } from "./settings.ts";

const rowSchema = z.strictObject({
	gridZone: z.string().min(1).optional(),
	pue: z.number().min(1).max(3).optional(),
	speeds: poolSpeedsSchema.optional(),
});

/**
 * This host, for a workstation. Its jobs run as the server's own user, so the operator must allow it by SPILLWAY_LOCAL_SLOTS.
 * @param options.host the address that the web server binds to
 * @param options.isKnown whether prices and speeds of an accelerator model are on record
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
		withoutCredentials: "Not needed: jobs run as the user that runs Spillway.",
		fields: [
			{
				...{ name: "gridZone", label: "Grid zone", input: "text", required: false, placeholder: "DE" },
				hint: "Electricity grid zone for CO2, such as DE or US-MIDA-PJM.",
			},
			{
				...{ name: "speeds", label: "Speeds", input: "map", required: false, placeholder: "local = 2" },
				hint: "Speed of a pool or accelerator relative to cloud instances and unlisted pools: 2 means half the run time.",
			},
		],
		credentialFields: [],
		open({ siteId }: SitePlace) {
			assertLocalSiteAllowed(host);
			return { kind: "cluster", driver: new LocalDriver(siteId, settings) };
		},
		check: () =>
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
			]),
	};
}
