import path from "node:path";
import type { Env } from "#server/env.ts";
import type { SiteTools } from "#server/services/capacity/site/tools.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { type SecretStore, secretStore } from "#server/services/work/secret/store.ts";

/** What an operation's service may need of its process. */
export type OperationContext = ServiceContext & {
	timing: Timing;
	siteTools: SiteTools | null;
	artifactStore: { root: string; secretKey: string };
	/** Keeps the secrets of jobs. */
	secretStore: SecretStore;
	/** Seals the secrets of channels. */
	secret: string;
};

/** The part of a context that is the same for every request of a process. */
export function processContext({
	env,
	timing,
	siteTools,
}: {
	env: Env;
	timing: Timing;
	siteTools: SiteTools | null;
}): Omit<OperationContext, keyof ServiceContext> {
	const { SPILLWAY_HOME, SPILLWAY_SECRET } = env;
	const artifactStore = { root: path.join(SPILLWAY_HOME, "artifacts"), secretKey: SPILLWAY_SECRET };
	return { timing, siteTools, artifactStore, secretStore: secretStore(env), secret: SPILLWAY_SECRET };
}
