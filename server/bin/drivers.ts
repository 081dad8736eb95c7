import { z } from "zod";
import type { site } from "#server/db/schema/site.ts";
import type { Env } from "#server/env.ts";
import { AwsDriver } from "#server/providers/aws/driver.ts";
import type { AwsSettings } from "#server/providers/aws/settings.ts";
import { openAzureSite } from "#server/providers/azure/open-site.ts";
import type { CloudDriver, ClusterDriver } from "#server/providers/driver.ts";
import { GcpDriver } from "#server/providers/gcp/driver.ts";
import { gcpSiteSettings } from "#server/providers/gcp/settings.ts";
import { KubernetesDriver } from "#server/providers/kubernetes/driver.ts";
import { type KubernetesSettings, kubernetesSettingsSchema } from "#server/providers/kubernetes/settings.ts";
import { LocalDriver } from "#server/providers/local/local-driver.ts";
import { assertLocalSiteAllowed } from "#server/providers/local/settings.ts";
import { SlurmDriver } from "#server/providers/slurm/driver.ts";
import { type SlurmSettings, slurmSettingsSchema } from "#server/providers/slurm/settings.ts";
import { resolveAlias } from "#server/rates/accelerators.ts";
import { listOffers } from "#server/rates/offers.ts";

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
					new LocalDriver(s.id, {
						home: env.SPILLWAY_HOME,
						slots: env.SPILLWAY_LOCAL_SLOTS,
						accelerator: env.SPILLWAY_LOCAL_ACCELERATOR,
						dataRemotes: env.SPILLWAY_DATA_REMOTES,
					}),
				);
				break;
			case "slurm":
				clusters.set(s.id, new SlurmDriver(s.id, slurmSettings(s.id, { dataRemotes: env.SPILLWAY_DATA_REMOTES, ...s.settings })));
				break;
			case "kubernetes":
				clusters.set(s.id, new KubernetesDriver(s.id, kubernetesSettings(s.id, s.settings, env), { resolveAccelerator: resolveAlias }));
				break;
			case "aws":
				clouds.set(
					s.id,
					new AwsDriver(s.id, { settings: awsSettings(s.settings, env, deploymentId), listPrices: () => listOffers("aws") }),
				);
				break;
			case "azure":
				clouds.set(
					s.id,
					openAzureSite(s.id, at(s.settings, env.SPILLWAY_AZURE_ENDPOINT), {
						controlPlane: deploymentId,
						snapshot: () => listOffers("azure"),
					}),
				);
				break;
			case "gcp":
				clouds.set(
					s.id,
					new GcpDriver(s.id, {
						settings: gcpSiteSettings(s.id, at(s.settings, env.SPILLWAY_GCP_ENDPOINT), deploymentId),
						listPrices: () => listOffers("gcp"),
					}),
				);
				break;
			default:
				throw new Error(`site ${s.id}: there is no driver for ${s.provider} yet`);
		}
	}
	return { clusters, clouds };
}

/** The site's row with this process's endpoint, where it has one. */
function at(row: Record<string, unknown>, endpoint: string | undefined): Record<string, unknown> {
	return endpoint === undefined ? row : { ...row, endpoint };
}

const awsSiteSettings = z.looseObject({ regions: z.array(z.string()), imageId: z.string() });

/** The site's row with what belongs to this process: the endpoint. Credentials come from the SDK's own chain, never from a row. */
function awsSettings(row: Record<string, unknown>, env: Env, controlPlane: string): AwsSettings {
	const { regions, imageId, ...rest } = awsSiteSettings.parse(row);
	return { ...rest, controlPlane, regions, imageId, ...(env.SPILLWAY_AWS_ENDPOINT ? { endpoint: env.SPILLWAY_AWS_ENDPOINT } : {}) };
}

function slurmSettings(siteId: string, row: Record<string, unknown>): SlurmSettings {
	return clusterSettings(siteId, row, { schema: slurmSettingsSchema, page: "slurm" });
}

function kubernetesSettings(siteId: string, row: Record<string, unknown>, env: Env): KubernetesSettings {
	const { volume } = row;
	const isObject = typeof volume === "object" && volume !== null;
	const own = isObject ? { volume: { dataRemotes: env.SPILLWAY_DATA_REMOTES, ...volume } } : {};
	return clusterSettings(siteId, { ...row, ...own }, { schema: kubernetesSettingsSchema, page: "kubernetes" });
}

/** The site's row without what the books read of it. @throws Error with each wrong setting. */
function clusterSettings<S extends z.ZodType>(
	siteId: string,
	{ gridZone: _, pue: __, ...row }: Record<string, unknown>,
	{ schema, page }: { schema: S; page: string },
): z.input<S> {
	const result = schema.safeParse(row);
	if (result.success) return row as z.input<S>;
	const lines = result.error.issues.map((i) => `${i.path.join(".") || "settings"}: ${i.message}`);
	throw new Error(`site ${siteId}: its settings are wrong:\n  ${lines.join("\n  ")}\ndocs/providers/${page}.md names them all`);
}
