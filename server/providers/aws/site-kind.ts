import { systemClock } from "#server/kernel/clock.ts";
import { checkSteps } from "../check-steps.ts";
import { endpointElsewhere } from "../cloud-endpoint.ts";
import { mountsField } from "../mounts-field.ts";
import type { SiteKind, SitePlace } from "../site-kind.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import { controlUrlStep } from "../way-back.ts";
import { checkAwsSite } from "./check-site.ts";
import { Ec2Calls } from "./client.ts";
import { AwsDriver } from "./driver.ts";
import { awsIdentity } from "./identity.ts";
import { AwsPriceList } from "./prices/price-list-client.ts";
import { AwsQuotas } from "./quota-client.ts";
import { awsCredentialsSchema, awsSettingsSchema } from "./settings.ts";

/**
 * @param options.endpoint emulator endpoint for every AWS site of this process
 * @param options.controlUrl the address that machines call
 */
export function awsSiteKind(options: {
	listPrices: () => readonly DatedRate[];
	endpoint?: string | undefined;
	controlUrl: string;
}): SiteKind {
	const settings = awsSettingsSchema.omit({ controlPlane: true, credentials: true });
	const parse = ({ settings: row, credentials, controlPlane }: SitePlace) =>
		awsSettingsSchema.parse({
			...settings.parse(row),
			controlPlane,
			...(credentials === null ? {} : { credentials: awsCredentialsSchema.parse(credentials) }),
			...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
		});
	return {
		provider: "aws",
		title: "Amazon Web Services",
		owned: false,
		docs: "providers/aws.md",
		settings,
		guarded: endpointElsewhere,
		// An endpoint on this host belongs to an emulator, which gets no real secrets.
		sentTo: () => null,
		credentials: awsCredentialsSchema,
		withoutCredentials: "The AWS SDK's default chain on Spillway's host: environment, profile, or the machine's role.",
		fields: [
			{
				...{ name: "regions", label: "Regions", input: "lines", required: true, placeholder: "us-east-1\neu-west-1" },
				hint: "One per line. Spillway launches instances and searches for orphans there.",
			},
			{
				...{
					name: "imageId",
					label: "Machine image",
					input: "text_or_map",
					required: true,
					placeholder: "us-east-1 = ami-0123456789abcdef0",
				},
				hint: "One line per region, as region = id, because image ids differ by region. The image needs a shell and the NVIDIA driver.",
			},
			{
				...{ name: "subnets", label: "Subnets", input: "map", required: false, placeholder: "us-east-1a = subnet-0123" },
				hint: "By zone or region. If empty, the zone's default subnet.",
			},
			{
				...{ name: "securityGroups", label: "Security groups", input: "json", required: false, placeholder: '{"us-east-1": ["sg-0123"]}' },
				hint: "Lists by region, as JSON. If empty, the network's default group. No inbound rule is needed.",
			},
			{
				...{ name: "keyPairs", label: "Key pairs", input: "map", required: false, placeholder: "us-east-1 = ops" },
				hint: "By region: the key pair for SSH access to instances. If empty, there is no SSH access.",
			},
			{
				...{ name: "instanceProfile", label: "Instance profile", input: "text", required: false },
				hint: "Name of the IAM instance profile for instances. If empty, none.",
			},
			mountsField(
				{ type: "efs", source: "fs-0123456789abcdef0.efs.us-east-1.amazonaws.com:/" },
				"The source is server:/path, or a folder of the image. It must be reachable from all regions.",
			),
		],
		credentialFields: [
			{
				name: "accessKeyId",
				label: "Access key id",
				input: "text",
				required: true,
				hint: "Use a separate IAM user with only the permissions on this page.",
			},
			{
				name: "secretAccessKey",
				label: "Secret access key",
				input: "secret",
				required: true,
				hint: "Stored encrypted and never shown again.",
			},
			{
				name: "sessionToken",
				label: "Session token",
				input: "secret",
				required: false,
				hint: "Only for temporary keys, which expire.",
			},
		],
		identity: awsIdentity(options.endpoint),
		open: (place) => ({
			kind: "cloud",
			driver: new AwsDriver(place.siteId, { settings: parse(place), listPrices: options.listPrices }),
		}),
		async *check(place) {
			const parsed = parse(place);
			const calls = { ec2: new Ec2Calls(parsed), quotas: new AwsQuotas(parsed, systemClock), priceList: new AwsPriceList(parsed) };
			try {
				yield* checkAwsSite(calls, parsed, options.listPrices());
				yield* checkSteps([controlUrlStep(options.controlUrl, parsed.endpoint)]);
			} finally {
				for (const call of Object.values(calls)) call.close();
			}
		},
	};
}
