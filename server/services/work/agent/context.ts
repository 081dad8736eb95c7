import type { Db } from "#server/db/client.ts";
import type { DataRemotes } from "#server/domain/data-remotes.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import type { Clock } from "#server/kernel/clock.ts";
import type { InstanceIdentity } from "#server/providers/instance-identity.ts";
import type { StoreBox } from "#server/services/capacity/store/box.ts";
import type { Timing } from "#server/services/core/timing.ts";
import type { JobTracking } from "../metric/job-tracking.ts";
import type { SecretStore } from "../secret/store.ts";

export type AgentTiming = Pick<Timing, "heartbeatMs" | "stopGraceMs" | "controlSilenceMs" | "leaseMs">;

/** Dependencies of the services for agents. */
export interface AgentContext {
	db: Db;
	clock: Clock;
	/** Key from which instance secrets are derived. */
	secretKey: string;
	/** Root folder of the checkpoint store. */
	checkpointRoot: string;
	/** Root folder of the embedded artifact store. */
	artifactRoot: string;
	/** Stores of teams; absent when everything is kept in the folders above. */
	stores?: StoreBox;
	timing: AgentTiming;
	/** Checks documents that providers sign for their machines. If absent, the bootstrap secret alone is enough to enroll. */
	identities?: {
		of(provider: Provider): InstanceIdentity | undefined;
		/** The control plane's address for machines. */
		controlUrl(): string;
	};
	/** Stores the secrets of jobs. If absent, jobs with secrets cannot start. */
	secretStore?: SecretStore;
	/** Where jobs log their metrics. If absent, they get no address and token for it. */
	tracking?: JobTracking;
	/** The operator's credentials for fetching data, read again each time because they change. Absent when there are none. */
	dataRemotes?(): Promise<DataRemotes>;
}
