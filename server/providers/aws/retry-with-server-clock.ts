import type { EC2ClientConfig } from "@aws-sdk/client-ec2";
import { z } from "zod";

type RetryStrategy = Exclude<EC2ClientConfig["retryStrategy"], undefined>;

/** The SDK detected from the response that the local clock is off, and signs by the provider's clock from now on. */
const correctedSchema = z.object({ $metadata: z.object({ clockSkewCorrected: z.literal(true) }) });

/**
 * Retries once, immediately, a call that was rejected for its date; the SDK then signs it by the provider's clock. There are no
 * other retries: the control loop repeats the call with the same token, and retries here would only hide problems.
 */
export function retryWithServerClock(): RetryStrategy {
	const tokenOf = (count: number) => ({ getRetryCount: () => count, getRetryDelay: () => 0 });
	return {
		acquireInitialRetryToken: async () => tokenOf(0),
		async refreshRetryTokenForRetry(token, { error }) {
			// Whatever is thrown here, the SDK throws the call's own error.
			if (token.getRetryCount() > 0 || !correctedSchema.safeParse(error).success) throw new Error("no further attempt");
			return tokenOf(1);
		},
		recordSuccess() {},
	};
}
