import { OWNER_ID } from "#server/emulators/aws/world.ts";
import { EMULATED_RESOURCE_GROUP, EMULATED_SUBSCRIPTION } from "#server/emulators/azure/options.ts";
import { DEFAULT_PROJECT } from "#server/emulators/gcp/options.ts";
import { awsIdentity } from "#server/providers/aws/identity.ts";
import { azureIdentity } from "#server/providers/azure/identity.ts";
import { gcpIdentity } from "#server/providers/gcp/identity.ts";
import type { InstanceIdentity } from "#server/providers/instance-identity.ts";
import type { AgentContext } from "#server/services/work/agent/context.ts";
import { CONTROL_PLANE } from "./cloud-driver.ts";
import type { Cloud } from "./plan.ts";

/** The strictest setting: no machine of a run can enroll without an identity signed by its provider. */
export function identitiesOf(
	clouds: readonly { cloud: Cloud; url: string; regions: string[] }[],
	controlUrl: () => string,
): NonNullable<AgentContext["identities"]> {
	const checks = { aws: awsIdentity(undefined), azure: azureIdentity(undefined), gcp: gcpIdentity(undefined) };
	return {
		controlUrl,
		of(provider): InstanceIdentity | undefined {
			const place = clouds.find(({ cloud }) => cloud === provider);
			if (!place) return undefined;
			return {
				policyOf: () => "required",
				verify: (_, claim) => checks[place.cloud].verify(settingsOf(place), { ...claim, controlPlane: CONTROL_PLANE }),
			};
		},
	};
}

function settingsOf({ cloud, url: endpoint, regions }: { cloud: Cloud; url: string; regions: string[] }): Record<string, unknown> {
	switch (cloud) {
		case "aws":
			return { endpoint, regions, imageId: "ami-0123456789abcdef0", accountId: OWNER_ID };
		case "azure":
			return { endpoint, regions, subscriptionId: EMULATED_SUBSCRIPTION, resourceGroup: EMULATED_RESOURCE_GROUP, subnets: {} };
		case "gcp":
			return { endpoint, regions, project: DEFAULT_PROJECT, image: "projects/debian-cloud/global/images/family/debian-12" };
	}
}
