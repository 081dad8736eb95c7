import type { OfferQuota } from "#server/domain/capacity.ts";
import type { CloudDriver, InstanceObservation, LaunchRequest } from "../driver.ts";
import type { DriverErrorKind } from "../driver-errors.ts";

/** Ways in which a provider refuses a launch, with the kind that each must become. */
export const LAUNCH_REFUSALS = {
	no_capacity: "insufficient_capacity",
	spot_count_quota: "quota_exceeded",
	vcpu_quota: "quota_exceeded",
	throttled: "throttled",
	unauthorized: "unauthorized",
	server_error: "transient",
} as const satisfies Record<string, DriverErrorKind>;
export type LaunchRefusal = keyof typeof LAUNCH_REFUSALS;

/** A cloud account to hold to the contract. The account outlives its drivers. */
export interface CloudHarness {
	driver: CloudDriver;
	/** A new driver of the same control plane, as after a restart. */
	again(): CloudDriver;
	/** A driver of another control plane on the same account. */
	otherControlPlane(): CloudDriver;
	/** A new driver of the same control plane with settings that name only the first region. Absent: not available. */
	withoutSecondRegion?(): CloudDriver;
	/** Two enabled regions. */
	regions: [string, string];
	/** Sold in the first region on demand and as spot. */
	instanceType: string;
	/** What the account's price list asks for the disk of a machine in the first region; it has none for the second. Absent: not known. */
	disk?: { type: string; gib: number; microUsdPerMonth: bigint };
	/** What the account may have of the type in the first region on demand, as the provider reports it. Absent: it reports none. */
	quota?: Omit<OfferQuota, "used">;
	/** The provider may place a machine by region alone, and then reports no zone. */
	placesByRegion?: true;
	/** Machines do not say by which address they are reached: their agents find it out there. */
	agentReportsAddress?: true;
	passTime(): Promise<void>;
	cleanup(): Promise<void>;
	/** Null on a live account, which cannot be made to fail; the cases that need it are left out there. */
	faults: CloudFaults | null;
	/** Null where there is no wire between driver and site. */
	wire: WireFaults | null;
	/** Makes so many machines that a list needs several pages. */
	moreThanAPage: number;
}

export interface CloudFaults {
	refuseNextLaunch(refusal: LaunchRefusal): void;
	/** The machine is made and the answer is lost. */
	loseNextLaunchAnswer(): void;
	/** The connection is cut before a list's answer arrives. Absent: there is no connection. */
	loseNextListAnswer?(): void;
	/** Delays the answer of the next launch for longer than the returned driver waits; null when the driver has no timeout. */
	delayNextLaunchAnswer: (() => CloudDriver) | null;
	/** Hides the next new machine from all other calls, until the returned function shows it. */
	hideNextLaunch(): () => void;
	slowNextTermination(): void;
	refuseCredentials(): void;
	/** From now on the provider's clock is so far ahead of this computer's; 0: right again. Absent: it has none. */
	setClockOff?(offsetMs: number): void;
	/** Its SDK goes by the provider's clock once it has seen it. */
	followsClock?: true;
	/** The next question of this kind fails in that region alone. */
	failRegion(question: "list" | "offers", region: string): void;
	/** A machine with the driver's control-plane tag and no other. Answers the provider's id. */
	plantTaggedStranger(region: string): Promise<string>;
	/** A machine without our tags. */
	plantUntagged(region: string): Promise<void>;
}

export interface WireFaults {
	/** From now on every answer has fields that the driver has never heard of. */
	addUnknownFields(): void;
	/** From now on answers lack the machines' ids. */
	dropInstanceIds(): void;
}

export type MakeCloudHarness = () => Promise<CloudHarness>;

/** A well-formed id that no provider has given. */
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

/** What the driver lists with this token, alive or not. */
export async function listed(driver: CloudDriver, instanceId: string): Promise<InstanceObservation[]> {
	return (await driver.list()).instances.filter((i) => i.instanceId === instanceId);
}

export const isAlive = (instance: InstanceObservation) => instance.state !== "terminated";
