import type { RunInstancesRequest } from "@aws-sdk/client-ec2";
import type { AskedDisk } from "../../shared/booked-disk.ts";
import { hex17 } from "../catalog.ts";
import { Ec2Error, invalidValue, missingParameter, notEmulated } from "../ec2-error.ts";
import { checkInterfaces } from "./launch-network.ts";
import { readLaunchTags, type Tags } from "./tags.ts";

const MAX_USER_DATA_BYTES = 16_384;
const MAX_TOKEN = 64;
/** EC2's default if the request names no type. */
const DEFAULT_TYPE = "m1.small";

/** A launch request, checked as far as possible without the state of the cloud. */
export interface LaunchRequest {
	instanceType: string;
	imageId: string;
	minCount: number;
	maxCount: number;
	clientToken: string;
	spot: boolean;
	maxPriceUsd: string | null;
	/** Whether the launch uses a Capacity Block. */
	isBlock: boolean;
	capacityReservationId: string | null;
	shutdownBehaviour: "stop" | "terminate";
	userData: string;
	keyName: string | null;
	placementGroup: string | null;
	securityGroupIds: string[];
	rootDisk: AskedDisk | null;
	instanceTags: Tags;
	spotRequestTags: Tags;
}

export function instanceTypeOf(input: RunInstancesRequest): string {
	return input.InstanceType ?? DEFAULT_TYPE;
}

export function isSpotLaunch(input: RunInstancesRequest): boolean {
	return input.InstanceMarketOptions?.MarketType === "spot";
}

/** @throws Ec2Error for requests that EC2 would reject, and for features that this endpoint does not support */
export function readLaunch(input: RunInstancesRequest): LaunchRequest {
	const { MinCount: minCount, MaxCount: maxCount, ClientToken: clientToken = "" } = input;
	if (minCount === undefined) throw missingParameter("MinCount");
	if (maxCount === undefined) throw missingParameter("MaxCount");
	if (!Number.isInteger(minCount) || minCount < 1)
		throw invalidValue("minCount", String(minCount), "Expecting a whole number of at least 1.");
	if (!Number.isInteger(maxCount) || maxCount < minCount) {
		throw invalidValue("maxCount", String(maxCount), "Expecting a whole number of at least minCount.");
	}
	if (clientToken.length > MAX_TOKEN) throw invalidValue("clientToken", clientToken, `Expecting at most ${MAX_TOKEN} characters.`);
	const tenancy = input.Placement?.Tenancy;
	if (tenancy !== undefined && tenancy !== "default") throw notEmulated(`the tenancy ${tenancy}`);
	checkInterfaces(input, instanceTypeOf(input));
	const shutdown = input.InstanceInitiatedShutdownBehavior ?? "stop";
	if (shutdown !== "stop" && shutdown !== "terminate") {
		throw invalidValue("instanceInitiatedShutdownBehavior", shutdown, "Expecting stop or terminate.");
	}
	const spot = readMarket(input);
	const tags = readLaunchTags(input.TagSpecifications, spot.isSpot);
	return {
		instanceType: instanceTypeOf(input),
		imageId: readImageId(input.ImageId),
		minCount,
		maxCount,
		clientToken,
		spot: spot.isSpot,
		maxPriceUsd: spot.maxPriceUsd,
		isBlock: spot.isBlock,
		capacityReservationId: input.CapacityReservationSpecification?.CapacityReservationTarget?.CapacityReservationId ?? null,
		shutdownBehaviour: shutdown,
		userData: readUserData(input.UserData),
		keyName: input.KeyName ?? null,
		placementGroup: input.Placement?.GroupName ?? null,
		securityGroupIds: input.SecurityGroupIds ?? input.NetworkInterfaces?.[0]?.Groups ?? [],
		rootDisk: readRootDisk(input),
		instanceTags: tags.instance,
		spotRequestTags: tags.spotRequest,
	};
}

/** Only billed. An emulated machine uses this host's disk. */
function readRootDisk({ BlockDeviceMappings: mappings = [] }: RunInstancesRequest): AskedDisk | null {
	if (mappings.length > 1) throw notEmulated("more than one block device mapping");
	const { VolumeType: type, VolumeSize: gib } = mappings[0]?.Ebs ?? {};
	return type === undefined || gib === undefined ? null : { type, gib };
}

function readMarket({ InstanceMarketOptions: market }: RunInstancesRequest): {
	isSpot: boolean;
	isBlock: boolean;
	maxPriceUsd: string | null;
} {
	const isBlock = market?.MarketType === "capacity-block";
	if (!market || isBlock) return { isSpot: false, isBlock, maxPriceUsd: null };
	if (market.MarketType !== "spot") throw notEmulated(`the market type ${market.MarketType ?? "(none)"}`);
	const {
		SpotInstanceType: kind = "one-time",
		InstanceInterruptionBehavior: behaviour = "terminate",
		MaxPrice: price,
	} = market.SpotOptions ?? {};
	if (kind !== "one-time") throw notEmulated(`spot requests of the kind ${kind}`);
	if (behaviour !== "terminate") throw notEmulated(`the interruption behavior ${behaviour}`);
	if (price !== undefined && !/^\d{1,6}(\.\d{1,6})?$/.test(price)) throw invalidValue("price", price, "Expecting dollars an hour.");
	return { isSpot: true, isBlock, maxPriceUsd: price ?? null };
}

/**
 * Any image exists, because the guest is this host. An id may contain letters beyond hexadecimal, so that it cannot be confused
 * with Amazon's. A parameter path stands for an image as SSM would resolve it.
 */
function readImageId(imageId: string | undefined): string {
	if (imageId === undefined || imageId === "") throw missingParameter("ImageId");
	if (imageId.startsWith("resolve:ssm:")) return `ami-${hex17(imageId)}`;
	if (!/^ami-[0-9a-z]{8}([0-9a-z]{9})?$/.test(imageId)) {
		throw new Ec2Error("InvalidAMIID.Malformed", `Invalid id: "${imageId}" (expecting "ami-...")`);
	}
	return imageId;
}

function readUserData(userData = ""): string {
	const text = userData.replace(/[\r\n]/g, "");
	const bytes = Buffer.from(text, "base64");
	if (bytes.toString("base64").replace(/=+$/, "") !== text.replace(/=+$/, "")) {
		throw new Ec2Error("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data");
	}
	if (bytes.length > MAX_USER_DATA_BYTES)
		throw new Ec2Error("InvalidParameterValue", `User data is limited to ${MAX_USER_DATA_BYTES} bytes`);
	return text;
}
