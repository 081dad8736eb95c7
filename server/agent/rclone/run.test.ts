import { afterEach, expect, it, vi } from "vitest";
import { environmentOf } from "./run.ts";

afterEach(() => vi.unstubAllEnvs());

it("passes the network's settings to rclone, and nothing else of this process", () => {
	vi.stubEnv("HTTPS_PROXY", "http://proxy.internal:3128");
	vi.stubEnv("NODE_EXTRA_CA_CERTS", "/etc/ca.pem");
	vi.stubEnv("SSL_CERT_FILE", undefined);
	vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
	const environment = environmentOf({ store: { type: "s3" } }, "/tmp/copy");
	expect(environment).toMatchObject({
		...{ HTTPS_PROXY: "http://proxy.internal:3128", SSL_CERT_FILE: "/etc/ca.pem", HOME: "/tmp/copy", RCLONE_CONFIG_STORE_TYPE: "s3" },
	});
	expect(environment).not.toHaveProperty("AWS_SECRET_ACCESS_KEY");
});
