import type { OfferQuota } from "#server/domain/capacity.ts";
import type { CloudDriver, InstanceObservation, LaunchRequest } from "../driver.ts";
import type { DriverErrorKind } from "../driver-errors.ts";

/** Reasons for which a provider rejects a launch, with the error kind expected for each. */
export const LAUNCH_REFUSALS = {
	no_capacity: "insufficient_capacity",
	spot_count_quota: "quota_exceeded",
	vcpu_quota: "quota_exceeded",
	throttled: "throttled",
	unauthorized: "unauthorized",
	server_error: "transient",
} as const satisfies Record<string, DriverErrorKind>;
export type LaunchRefusal = keyof typeof LAUNCH_REFUSALS;

/** A cloud account for the contract tests. The account outlives its drivers. */
export interface CloudHarness {
	driver: CloudDriver;
	/** A new driver of the same control plane, as after a restart. */
	again(): CloudDriver;
	/** A driver of another control plane on the same account. */
	otherControlPlane(): CloudDriver;
	/** A new driver of the same control plane with settings that name only the first region. Undefined: not available. */
	withoutSecondRegion?(): CloudDriver;
	/** Two enabled regions. */
	regions: [string, string];
	/** Sold in the first region on demand and as spot. */
	instanceType: string;
	/** The account's list price for the disk of a machine in the first region; the second has none. Undefined: unknown. */
	disk?: { type: string; gib: number; microUsdPerMonth: bigint };
	/** The account's on-demand quota for the type in the first region, as the provider reports it. Undefined: not reported. */
	quota?: Omit<OfferQuota, "used">;
	/** The provider may place a machine by region alone, and then reports no zone. */
	placesByRegion?: true;
	/** Machines do not report the address at which they are reached; their agents find it. */
	agentReportsAddress?: true;
	/** A type with a high-bandwidth interconnect, sold in the first region. Undefined: the account has none. */
	interconnect?: {
		instanceType: string;
		/** Where it is sold. Undefined: the provider chooses. */
		zone?: string;
		/** Number of machines that the provider placed together under this name, in any state but terminated. */
		placedTogether(name: string): number;
	};
	passTime(): Promise<void>;
	cleanup(): Promise<void>;
	/** null on a live account, which cannot be made to fail; cases that need faults are skipped there. */
	faults: CloudFaults | null;
	/** null if there is no network between driver and site. */
	wire: WireFaults | null;
	/** A number of machines that needs several pages of a list. */
	moreThanAPage: number;
}

export interface CloudFaults {
	refuseNextLaunch(refusal: LaunchRefusal): void;
	/** There is no capacity for the next start of a stopped machine. Undefined: cannot be scripted. */
	refuseNextStart?(): void;
	/** The machine is created, but the response is lost. */
	loseNextLaunchAnswer(): void;
	/** The connection is cut before a list's response arrives. Undefined: there is no connection. */
	loseNextListAnswer?(): void;
	/** Delays the response of the next launch for longer than the returned driver waits; null if the driver has no timeout. */
	delayNextLaunchAnswer: (() => CloudDriver) | null;
	/** Hides the next new machine from all other calls, until the returned function shows it. */
	hideNextLaunch(): () => void;
	/** Delays the next termination until the returned function lets its time pass and the machine is terminated again. */
	slowNextTermination(): () => void;
	refuseCredentials(): void;
	/** From now on the provider's clock is this far ahead of this computer's; 0: correct again. Undefined: it has no clock. */
	setClockOff?(offsetMs: number): void;
	/** The SDK uses the provider's clock once it knows it. */
	followsClock?: true;
	/** The next request of this kind fails in that region only. */
	failRegion(question: "list" | "offers", region: string): void;
	/** Creates a machine with only the driver's control-plane tag. Returns the provider's id. */
	plantTaggedStranger(region: string): Promise<string>;
	/** Creates a machine without our tags. */
	plantUntagged(region: string): Promise<void>;
}

export interface WireFaults {
	/** From now on every response has fields that the driver does not know. */
	addUnknownFields(): void;
	/** From now on responses lack the machines' ids. */
	dropInstanceIds(): void;
}

export type MakeCloudHarness = () => Promise<CloudHarness>;

/** A well-formed id that the provider has never issued. */
export const MISSING_INSTANCE = "i-0123456789abcdef0";

let launches = 0;

export function aLaunch(harness: CloudHarness, changes: Partial<LaunchRequest> = {}): LaunchRequest {
	launches += 1;
	const job = `contract${String(Date.now() % 1e9).padStart(9, "0")}${String(launches).padStart(5, "0")}`;
	return {
		instanceId: `ins_${job}_001_0`,
		jobId: `job_${job}`,
		attemptId: `att_${job}_001`,
		region: harness.regions[0],
		zone: null,
		instanceType: harness.instanceType,
		capacityType: "on_demand",
		userData: "#!/bin/sh\nexec sleep 600\n",
		expiresAtMs: 1_900_000_000_000,
		...changes,
	};
}

/** The instances that the driver lists with this token, alive or not. */
export async function listed(driver: CloudDriver, instanceId: string): Promise<InstanceObservation[]> {
	return (await driver.list()).instances.filter((i) => i.instanceId === instanceId);
}

export const isAlive = (instance: InstanceObservation) => instance.state !== "terminated";
