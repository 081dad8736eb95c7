import { systemClock } from "#server/kernel/clock.ts";
import { checkSteps } from "../check-steps.ts";
import { endpointElsewhere } from "../cloud-endpoint.ts";
import type { SiteKind, SitePlace } from "../site-kind.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import { wayBackStep } from "../way-back.ts";
import { checkAwsSite } from "./check-site.ts";
import { Ec2Calls } from "./client.ts";
import { AwsDriver } from "./driver.ts";
import { awsIdentity } from "./identity.ts";
import { AwsPriceList } from "./prices/price-list-client.ts";
import { AwsQuotas } from "./quota-client.ts";
import { awsCredentialsSchema, awsSettingsSchema } from "./settings.ts";

/**
 * @param options.endpoint of this process, for every AWS site of it: an emulator's
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
		// An endpoint on this host is an emulator's, which gets no secret that is worth anything.
		sentTo: () => null,
		credentials: awsCredentialsSchema,
		withoutCredentials: "What the AWS SDK finds where Spillway runs: its environment, a profile, or the machine's role.",
		fields: [
			{
				...{ name: "regions", label: "Regions", input: "lines", required: true, placeholder: "us-east-1\neu-west-1" },
				hint: "One a line. Machines are bought there, and lost ones looked for.",
			},
			{
				...{
					name: "imageId",
					label: "Machine image",
					input: "text_or_map",
					required: true,
					placeholder: "us-east-1 = ami-0123456789abcdef0",
				},
				hint: "Images have another id in each region: a line each, as region = id. It needs a shell and NVIDIA's driver.",
			},
			{
				...{ name: "subnets", label: "Subnets", input: "map", required: false, placeholder: "us-east-1a = subnet-0123" },
				hint: "By zone or region. Without one, the zone's default subnet.",
			},
			{
				...{ name: "securityGroups", label: "Security groups", input: "json", required: false, placeholder: '{"us-east-1": ["sg-0123"]}' },
				hint: "Lists by region, as JSON. Without them, the network's default group. Nothing has to come in.",
			},
			{
				...{ name: "keyPairs", label: "Key pairs", input: "map", required: false, placeholder: "us-east-1 = ops" },
				hint: "By region, the name of the key pair for logging in to the machines. Empty: no one can.",
			},
			{
				...{ name: "instanceProfile", label: "Instance profile", input: "text", required: false },
				hint: "Name of the IAM instance profile for the machines. Empty: none.",
			},
		],
		credentialFields: [
			{
				name: "accessKeyId",
				label: "Access key id",
				input: "text",
				required: true,
				hint: "Of a separate user with the least privileges on this page.",
			},
			{
				name: "secretAccessKey",
				label: "Secret access key",
				input: "secret",
				required: true,
				hint: "Stored encrypted, never shown again.",
			},
			{
				name: "sessionToken",
				label: "Session token",
				input: "secret",
				required: false,
				hint: "Only of temporary keys, which end by themselves.",
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
				yield* checkSteps([wayBackStep(options.controlUrl, parsed.endpoint)]);
			} finally {
				for (const call of Object.values(calls)) call.close();
			}
		},
	};
}
