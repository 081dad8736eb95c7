import type { ComputeManagementClient } from "@azure/arm-compute";
import type { TokenCredential } from "@azure/identity";
import { repeatAfterReset } from "../repeat-after-reset.ts";
import type { ParsedAzureSettings } from "./settings.ts";

type Policy = Parameters<ComputeManagementClient["pipeline"]["addPolicy"]>[0];

/** The token that an emulated endpoint on this host accepts. It is worthless elsewhere. */
const EMULATOR_TOKEN = "emulated";
// The SDK refuses to send a credential's token over plain http. Without a credential it adds none, so `bearer` does.
const NO_CREDENTIAL = undefined as unknown as TokenCredential;

/** The SDK's client for one subscription, loaded on first use. */
export async function connect(settings: ParsedAzureSettings): Promise<ComputeManagementClient> {
	const { subscriptionId, endpoint, answerTimeoutMs } = settings;
	const isPlain = isPlainHttp(settings);
	const { ComputeManagementClient } = await import("@azure/arm-compute");
	const client = new ComputeManagementClient(isPlain ? NO_CREDENTIAL : await credentialOf(settings), subscriptionId, {
		// The control loop repeats the call with the same name; retries here would only hide problems.
		retryOptions: { maxRetries: 0 },
		...(endpoint === undefined ? {} : { endpoint, allowInsecureConnection: isPlain }),
	});
	client.pipeline.addPolicy(timeLimit(answerTimeoutMs));
	client.pipeline.addPolicy(readsRepeatedAfterReset);
	if (isPlain) client.pipeline.addPolicy(bearer(EMULATOR_TOKEN));
	return client;
}

/** Loads the libraries that calls with these settings need. */
export async function loadAzureSdk(settings: ParsedAzureSettings): Promise<void> {
	await import("@azure/arm-compute");
	if (!isPlainHttp(settings)) await import("@azure/identity");
}

const isPlainHttp = ({ endpoint }: ParsedAzureSettings): boolean => endpoint?.startsWith("http:") === true;

/** A token for APIs that the SDK does not cover. */
export async function tokenOf(settings: ParsedAzureSettings): Promise<string> {
	if (isPlainHttp(settings)) return EMULATOR_TOKEN;
	const credential = await credentialOf(settings);
	const found = await credential.getToken("https://management.azure.com/.default");
	// @azure/core-auth: null means that no token was needed, which Azure never reports.
	return found?.token ?? "";
}

async function credentialOf({ credentials }: ParsedAzureSettings): Promise<TokenCredential> {
	const { ClientSecretCredential, DefaultAzureCredential } = await import("@azure/identity");
	if (credentials === undefined) return new DefaultAzureCredential();
	return new ClientSecretCredential(credentials.tenantId, credentials.clientId, credentials.clientSecret);
}

/** Applies to every request, including further pages of a list, to which the SDK does not pass the call's options. */
function timeLimit(answerTimeoutMs: number): Policy {
	return {
		name: "spillwayTimeLimit",
		sendRequest(request, next) {
			request.timeout = answerTimeoutMs;
			return next(request);
		},
	};
}

const readsRepeatedAfterReset: Policy = {
	name: "spillwayRepeatAfterReset",
	sendRequest: (request, next) => (request.method === "GET" ? repeatAfterReset(() => next(request)) : next(request)),
};

function bearer(token: string): Policy {
	return {
		name: "spillwayBearer",
		sendRequest(request, next) {
			request.headers.set("authorization", `Bearer ${token}`);
			return next(request);
		},
	};
}
