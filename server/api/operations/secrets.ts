import { secret } from "#server/contract/secret.ts";
import { listSecrets } from "#server/services/work/secret/list.ts";
import { deleteSecret, setSecret } from "#server/services/work/secret/set.ts";
import { bind } from "./bind.ts";

export const secretOperations = {
	list: bind(secret.list, listSecrets),
	set: bind(secret.set, (ctx, { team, name, ...value }) => setSecret(ctx, { team, name }, value)),
	delete: bind(secret.delete, deleteSecret),
};
