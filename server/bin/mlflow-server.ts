import type { Env } from "#server/env.ts";
import { parseAllowance } from "#server/kernel/outgoing.ts";
import type { MlflowServer } from "#server/services/work/mlflow/client.ts";

/** The MLflow server in the settings; null if runs are not forwarded. */
export function mlflowServer(settings: Env): MlflowServer | null {
	const { MLFLOW_FORWARD_URL: url, MLFLOW_FORWARD_TOKEN: token, MLFLOW_FORWARD_USERNAME: user } = settings;
	if (url === undefined) return null;
	const basic = user === undefined ? null : `Basic ${Buffer.from(`${user}:${settings.MLFLOW_FORWARD_PASSWORD ?? ""}`).toString("base64")}`;
	return {
		...{ url, authorization: token === undefined ? basic : `Bearer ${token}` },
		allowance: parseAllowance(settings.SPILLWAY_OUTGOING_HOSTS),
	};
}
