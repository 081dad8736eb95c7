import type { site } from "#server/db/schema/site.ts";
import type { Env } from "#server/env.ts";
import type { CloudDriver, ClusterDriver } from "#server/providers/driver.ts";
import { LocalDriver } from "#server/providers/local/local-driver.ts";
import { assertLocalSiteAllowed } from "#server/providers/local/settings.ts";

/** A driver for each enabled site. A provider without a driver yet is an error, not a silent gap. */
export async function openDrivers(
	sites: readonly (typeof site.$inferSelect)[],
	env: Env,
	deploymentId: string,
): Promise<{ clusters: Map<string, ClusterDriver>; clouds: Map<string, CloudDriver> }> {
	const clusters = new Map<string, ClusterDriver>();
	const clouds = new Map<string, CloudDriver>();
	for (const s of sites) {
		switch (s.provider) {
			case "local":
				assertLocalSiteAllowed(env.SPILLWAY_HOST);
				clusters.set(
					s.id,
					new LocalDriver(s.id, { home: env.SPILLWAY_HOME, slots: env.SPILLWAY_LOCAL_SLOTS, accelerator: env.SPILLWAY_LOCAL_ACCELERATOR }),
				);
				break;
			default:
				throw new Error(`site ${s.id}: there is no driver for ${s.provider} yet`);
		}
	}
	return { clusters, clouds };
}
