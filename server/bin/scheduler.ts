import path from "node:path";
import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { listenForProbes } from "#server/api/scheduler-face.ts";
import { BacktestWorkers } from "#server/control-loop/backtest-workers.ts";
import type { LoopContext } from "#server/control-loop/context.ts";
import { drainCluster } from "#server/control-loop/drain.ts";
import { SILENT_MAX_MS } from "#server/control-loop/leadership.ts";
import { runScheduler } from "#server/control-loop/scheduler.ts";
import { SiteDrivers } from "#server/control-loop/site-drivers.ts";
import { spawnStudy, startBacktestProcess } from "#server/control-loop/spawn-worker.ts";
import { timedDriver } from "#server/control-loop/timed-driver.ts";
import { connect } from "#server/db/client.ts";
import { requireMigrated } from "#server/db/migrate.ts";
import { directDatabaseUrl, env, logFolder, publicUrl, requireOwnSecrets } from "#server/env.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { logLine, surviveLostOutput } from "#server/kernel/program-log.ts";
import { ImportedPrices } from "#server/providers/live-prices/imported-prices.ts";
import { RcloneStores } from "#server/providers/stores/rclone-stores.ts";
import { CredentialKeys } from "#server/services/capacity/site/credential-keys.ts";
import { deploymentId } from "#server/services/core/deployment.ts";
import { countProcess, registry } from "#server/services/core/process-metrics.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { findUrlExpiry } from "#server/services/overview/expiry/find.ts";
import { readImportedPrices } from "#server/services/pricing/offer/import-prices.ts";
import { folderLogStore } from "#server/services/work/log/store.ts";
import { jobTracking } from "#server/services/work/metric/job-tracking.ts";
import { secretStore } from "#server/services/work/secret/store.ts";
import { configureProxy } from "./configure-proxy.ts";
import { dataCopier } from "./data-copier.ts";
import { launchSecrets } from "./launch-secrets.ts";
import { lineageReceiver } from "./lineage-receiver.ts";
import { mlflowServer } from "./mlflow-server.ts";
import { noticeSettings } from "./notice-settings.ts";
import { objectLister } from "./object-lister.ts";
import { openSite, siteKinds } from "./site-kinds.ts";
import { traceReceiver } from "./trace-receiver.ts";
import { unwrapCredentialKeys } from "./unwrap-credential-keys.ts";

configureProxy();
const settings = { ...env(), SPILLWAY_CREDENTIAL_KEYS: await unwrapCredentialKeys(env()) };
requireOwnSecrets(settings);
await requireMigrated(directDatabaseUrl(settings));
const connection = connect(settings.DATABASE_URL, {
	...{ directUrl: settings.DATABASE_DIRECT_URL, applicationName: "spillway-scheduler", idleTransactionMaxMs: SILENT_MAX_MS },
});
const timing = timingSchema.parse(settings.SPILLWAY_TIMING);
const log: LoopContext["log"] = logLine;
surviveLostOutput();

const imported = new ImportedPrices();
let importedVersion: string | null = null;
const kinds = siteKinds(settings, imported);
const sites = new SiteDrivers({
	...{ db: connection.db, clock: systemClock, log, controlPlane: await deploymentId(connection.db) },
	keys: new CredentialKeys({ home: settings.SPILLWAY_HOME, given: settings.SPILLWAY_CREDENTIAL_KEYS }),
	open: (row, place) => {
		const site = openSite(kinds, settings, row, place);
		return site.kind === "cloud" ? { ...site, driver: timedDriver(site.driver) } : { ...site, driver: timedDriver(site.driver) };
	},
});
/** Drivers read prices when they are next due. */
async function lookAtSites(): Promise<void> {
	const latest = await readImportedPrices(connection.db, importedVersion);
	if (latest) {
		imported.set(latest.prices);
		importedVersion = latest.version;
	}
	await sites.look();
}
await lookAtSites();
const { clusters, clouds } = sites;
const ctx: LoopContext = {
	db: connection.db,
	clock: systemClock,
	timing,
	clusters,
	clouds,
	...(await launchSecrets(settings)),
	secretStore: secretStore(settings),
	tracking: jobTracking(settings.SPILLWAY_SECRET, publicUrl(settings)),
	checkpointRoot: path.join(settings.SPILLWAY_HOME, "checkpoints"),
	artifactRoot: path.join(settings.SPILLWAY_HOME, "artifacts"),
	logs: folderLogStore(logFolder(settings)),
	stores: { port: new RcloneStores(rcloneOfHost), secretKey: settings.SPILLWAY_SECRET },
	log,
	probe: () => {},
};

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort());

/** Jobs of the local site are processes of this host and end with it; those of a cluster keep running. */
async function stopHostJobs(): Promise<void> {
	for (const driver of clusters.values()) if (driver.provider === "local") await drainCluster(ctx, driver);
}

const notices = noticeSettings(settings);
const instanceName = settings.SPILLWAY_INSTANCE;
countProcess();
const probes =
	settings.SPILLWAY_SCHEDULER_PORT === undefined
		? null
		: listenForProbes({
				...{ host: settings.SPILLWAY_SCHEDULER_HOST, port: settings.SPILLWAY_SCHEDULER_PORT, instance: instanceName },
				askDatabase: () => connection.sql`select 1`,
				metricsToken: settings.SPILLWAY_METRICS_TOKEN,
				metrics: () => registry.metrics(),
				onError: (error) => log("error", "The scheduler cannot listen for probes", { error: error.message }),
			});
const traces = await traceReceiver(settings);
const lineage = lineageReceiver(settings);
const mlflow = mlflowServer(settings);
await runScheduler({
	...(traces && { sendSpans: traces.send }),
	...(lineage && { lineage }),
	...(mlflow && { mlflow }),
	...{ ctx, connection, instanceName, signal: stop.signal, beforeResign: stopHostJobs, notices, spawnStudy },
	backtestWorkers: new BacktestWorkers(startBacktestProcess),
	retention: settings.SPILLWAY_RETENTION,
	deliveryRoot: settings.SPILLWAY_DELIVERY_ROOT ?? path.join(settings.SPILLWAY_HOME, "delivered"),
	dataCopier: dataCopier(settings.SPILLWAY_DATA_REMOTES),
	listObjects: objectLister(settings.SPILLWAY_DATA_REMOTES),
	lookAtSites,
	findExpiries: async () => {
		const own = await findUrlExpiry(publicUrl(settings));
		return [...(await sites.findExpiries()), ...(own ? [own] : [])];
	},
	...(settings.SPILLWAY_CARBON_URL === undefined
		? {}
		: { carbonApi: { url: settings.SPILLWAY_CARBON_URL, token: settings.SPILLWAY_CARBON_TOKEN } }),
});
await traces?.close();
probes?.close();
probes?.closeAllConnections();
for (const driver of clusters.values()) await driver.close({ stopJobs: driver.provider === "local", graceMs: timing.stopGraceMs });
for (const driver of clouds.values()) await driver.close();
await connection.end();
