import type { EC2ClientConfig } from "@aws-sdk/client-ec2";
import { z } from "zod";

type RetryStrategy = Exclude<EC2ClientConfig["retryStrategy"], undefined>;

/** The SDK saw by the answer that our clock is off, and will sign by the provider's from now on. */
const correctedSchema = z.object({ $metadata: z.object({ clockSkewCorrected: z.literal(true) }) });

/**
 * One more attempt, at once, for a call that was refused by its date; then the SDK signs it again by the provider's clock. No other
 * retries: the loop makes the same call again with the same token, and retries here would only hide what happens.
 */
export function againByTheirClock(): RetryStrategy {
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
