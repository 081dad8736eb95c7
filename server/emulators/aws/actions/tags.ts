import type { TagSpecification } from "@aws-sdk/client-ec2";
import { Ec2Error, missingParameter } from "../ec2-error.ts";

const MAX_KEY = 128;
const MAX_VALUE = 256;
const MAX_TAGS = 50;

export type Tags = Record<string, string>;

/** @throws Ec2Error for a key or value that EC2 rejects */
export function readTags(given: readonly { Key?: string | undefined; Value?: string | undefined }[] | undefined): Tags {
	const tags: Tags = {};
	for (const { Key: key, Value: value = "" } of given ?? []) {
		if (key === undefined || key === "") throw missingParameter("Tag.Key");
		if (key.length > MAX_KEY) throw new Ec2Error("InvalidParameterValue", `Tag key exceeds the maximum length of ${MAX_KEY} characters`);
		if (value.length > MAX_VALUE)
			throw new Ec2Error("InvalidParameterValue", `Tag value exceeds the maximum length of ${MAX_VALUE} characters`);
		if (key.toLowerCase().startsWith("aws:"))
			throw new Ec2Error("InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use");
		if (Object.hasOwn(tags, key)) throw new Ec2Error("InvalidParameterValue", `Duplicate tag key '${key}' specified.`);
		Object.defineProperty(tags, key, { value, enumerable: true, writable: true, configurable: true });
	}
	assertTagCount(tags);
	return tags;
}

export function assertTagCount(tags: Tags): void {
	if (Object.keys(tags).length > MAX_TAGS) throw new Ec2Error("TagLimitExceeded", `A resource can have ${MAX_TAGS} tags.`);
}

// Volumes and network interfaces exist with a machine, but this endpoint does not list them.
const LAUNCH_RESOURCES = ["instance", "spot-instances-request", "volume", "network-interface"];

/** The tags that a launch sets on its instances and on their spot requests. */
export function readLaunchTags(
	specifications: readonly TagSpecification[] | undefined,
	isSpot: boolean,
): { instance: Tags; spotRequest: Tags } {
	const byType = new Map<string, Tags>();
	for (const { ResourceType: type, Tags: tags } of specifications ?? []) {
		if (type === undefined) throw missingParameter("TagSpecification.ResourceType");
		if (!LAUNCH_RESOURCES.includes(type)) {
			throw new Ec2Error("InvalidParameterValue", `'${type}' is not a valid taggable resource type for this operation.`);
		}
		if (byType.has(type)) throw new Ec2Error("InvalidParameterValue", `Multiple tag specifications for the resource type ${type}.`);
		if (type === "spot-instances-request" && !isSpot) {
			throw new Ec2Error("InvalidParameterCombination", "spot-instances-request can be tagged only by a launch of spot instances.");
		}
		byType.set(type, readTags(tags));
	}
	return { instance: byType.get("instance") ?? {}, spotRequest: byType.get("spot-instances-request") ?? {} };
}
