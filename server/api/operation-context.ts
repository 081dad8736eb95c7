import path from "node:path";
import type { GroupMap } from "#server/domain/group-map.ts";
import { type Env, logFolder } from "#server/env.ts";
import type { SiteTools } from "#server/services/capacity/site/tools.ts";
import type { StoreBox } from "#server/services/capacity/store/box.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import type { Timing } from "#server/services/core/timing.ts";
import type { ArtifactFiles } from "#server/services/work/artifact/open-file.ts";
import { folderLogStore, type LogStore } from "#server/services/work/log/store.ts";
import { type SecretStore, secretStore } from "#server/services/work/secret/store.ts";

/** What an operation's service may need from its process. */
export type OperationContext = ServiceContext & {
	timing: Timing;
	siteTools: SiteTools | null;
	/** Connects to stores of teams; null in processes without access. */
	stores: StoreBox | null;
	artifactStore: ArtifactFiles & { secretKey: string };
	logs: LogStore;
	/** Stores job secrets. */
	secretStore: SecretStore;
	/** How groups of the identity provider map to roles and teams, before the mappings in Settings. */
	groupMap: GroupMap;
	/** Seals the secrets of channels. */
	secret: string;
};

/** The part of a context shared by all requests of a process. */
export function processContext({
	env,
	timing,
	siteTools,
	storePort,
}: {
	env: Env;
	timing: Timing;
	siteTools: SiteTools | null;
	storePort: StoreBox["port"] | null;
}): Omit<OperationContext, keyof ServiceContext> {
	const { SPILLWAY_HOME, SPILLWAY_SECRET } = env;
	const stores = storePort && { port: storePort, secretKey: SPILLWAY_SECRET };
	const artifactStore = { root: path.join(SPILLWAY_HOME, "artifacts"), stores, secretKey: SPILLWAY_SECRET };
	const logs = folderLogStore(logFolder(env));
	const own = { secretStore: secretStore(env), groupMap: env.OIDC_GROUP_MAP, secret: SPILLWAY_SECRET };
	return { timing, siteTools, stores, artifactStore, logs, ...own };
}
