import { isIP } from "node:net";
import { z } from "zod";
import { siteCacheSchema } from "#server/domain/site-cache.ts";
import { siteMountsSchema } from "#server/domain/site-mount.ts";
import { SpillwayError } from "#server/kernel/errors.ts";

/** GPU slots of the demo's local site if SPILLWAY_LOCAL_SLOTS is not set. */
export const DEFAULT_SLOTS = 4;

export const localSettingsSchema = z.strictObject({
	/** SPILLWAY_HOME; attempts are stored in `<home>/sites/local`. */
	home: z.string().min(1),
	/** GPU slots: the number of one-GPU jobs that can run at once. */
	slots: z.number().int().min(0).max(1024),
	/** The accelerator model of a slot. */
	accelerator: z.string().min(1),
	/** File in the format of rclone.conf with the remotes for data. */
	dataRemotes: z.string().min(1).optional(),
	/** File systems of this host that jobs request by name. */
	mounts: siteMountsSchema(["folder"]).default([]),
	/** Where fetched data is kept, and how much. Default: in the site's folder, by age. */
	cache: siteCacheSchema.optional(),
	poolId: z.string().min(1).default("local"),
});
export type LocalSettings = z.input<typeof localSettingsSchema>;

/**
 * The local site runs commands of everyone who may submit a job as the server's own user. It is therefore only for a machine that
 * only its owner can reach.
 * @throws SpillwayError precondition_failed if the server listens beyond this host
 */
export function assertLocalSiteAllowed(host: string): void {
	if (isLoopback(host)) return;
	throw new SpillwayError(
		"precondition_failed",
		`The local site runs jobs as this server's own user and is only for loopback, but the server binds to ${host}.`,
		{ fix: "Set SPILLWAY_HOST=127.0.0.1, or remove the local site and connect a cluster." },
	);
}

function isLoopback(host: string): boolean {
	const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
	return bare === "localhost" || bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."));
}
