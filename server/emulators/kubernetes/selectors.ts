import { ApiError } from "./api-error.ts";
import type { ApiObject } from "./objects.ts";

/** `a=b,c!=d,e,!f` over labels. */
export function labelFilter(selector: string | null): (object: ApiObject) => boolean {
	const tests = (selector ?? "")
		.split(",")
		.filter(Boolean)
		.map((term): ((labels: Record<string, string>) => boolean) => {
			const [, no, key = "", operator, value = ""] = /^(!?)([^=!,\s()]+)(?:(==|=|!=)([^=!,]*))?$/.exec(term.trim()) ?? [];
			if (key === "") throw new ApiError(400, "BadRequest", `unable to parse requirement: ${JSON.stringify(term)}`);
			if (operator === undefined) return (labels) => key in labels !== (no === "!");
			return operator === "!=" ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
		});
	return ({ metadata }) => tests.every((test) => test(metadata.labels ?? {}));
}

/** `metadata.name=x,spec.nodeName!=`: only the fields for which a server has an index. */
export function fieldFilter(selector: string | null): (object: ApiObject) => boolean {
	const tests = (selector ?? "")
		.split(",")
		.filter(Boolean)
		.map((term) => {
			const [, path = "", operator, value = ""] = /^([\w.]+)(!=|==|=)(.*)$/.exec(term) ?? [];
			if (!/^(metadata\.(name|namespace)|spec\.nodeName|status\.phase|involvedObject\.\w+|reason|type)$/.test(path)) {
				throw new ApiError(400, "BadRequest", `field label not supported: ${path || term}`);
			}
			return (object: unknown) => {
				const found = path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], object);
				return (String(found ?? "") === value) === (operator !== "!=");
			};
		});
	return (object) => tests.every((test) => test(object));
}
