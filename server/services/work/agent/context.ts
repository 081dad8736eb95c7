import type { Db } from "#server/db/client.ts";
import type { DataRemotes } from "#server/domain/data-remotes.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import type { Clock } from "#server/kernel/clock.ts";
import type { InstanceIdentity } from "#server/providers/instance-identity.ts";
import type { StoreBox } from "#server/services/capacity/store/box.ts";
import type { Timing } from "#server/services/core/timing.ts";
import type { SecretStore } from "../secret/store.ts";

export type AgentTiming = Pick<Timing, "heartbeatMs" | "stopGraceMs" | "controlSilenceMs" | "leaseMs">;

/** What the services for agents get. */
export interface AgentContext {
	db: Db;
	clock: Clock;
	/** Key from which secrets of instances are derived. */
	secretKey: string;
	/** Root folder of the checkpoint store. */
	checkpointRoot: string;
	/** Root folder of the embedded artifact store. */
	artifactRoot: string;
	/** Stores of teams; absent: everything is kept in the folders above. */
	stores?: StoreBox;
	timing: AgentTiming;
	/** How what providers sign for their machines is checked. Absent: the bootstrap secret alone lets an agent in. */
	identities?: {
		of(provider: Provider): InstanceIdentity | undefined;
		/** This control plane's address for machines. */
		controlUrl(): string;
	};
	/** Keeps the secrets of jobs. Absent: jobs with secrets cannot start. */
	secretStore?: SecretStore;
	/** What the operator set up to fetch data by, read again each time: credentials change. Absent: nothing. */
	dataRemotes?(): Promise<DataRemotes>;
}
