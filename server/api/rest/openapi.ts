import { z } from "zod";
import { ROUTES } from "./routes.ts";

let document: unknown;

/** OpenAPI 3.1 of the REST face, made from the routes themselves. */
export function openApi(): unknown {
	document ??= build();
	return document;
}

function build(): unknown {
	const paths: Record<string, Record<string, unknown>> = {};
	for (const route of ROUTES) {
		const params = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
			name,
			in: "path",
			required: true,
			schema: { type: "string" },
		}));
		const item = paths[route.path] ?? {};
		item[route.method.toLowerCase()] = {
			summary: route.summary,
			operationId: `${route.method.toLowerCase()}${route.path.replace(/[^a-z]+(\w)/gi, (_, c: string) => c.toUpperCase()).replace(/\W/g, "")}`,
			"x-permission": route.permission,
			...(params.length > 0 || route.write
				? {
						parameters: [
							...params,
							...(route.write
								? [{ name: "Idempotency-Key", in: "header", required: false, schema: { type: "string", maxLength: 128 } }]
								: []),
						],
					}
				: {}),
			...(route.body
				? {
						requestBody: {
							required: true,
							content: { "application/json": { schema: z.toJSONSchema(route.body, { io: "input", unrepresentable: "any" }) } },
						},
					}
				: {}),
			...(route.takes === undefined
				? {}
				: { requestBody: { required: true, content: { [route.takes]: { schema: { type: "string", format: "binary" } } } } }),
			responses: {
				"2XX": { description: "Done", content: { [route.answers ?? "application/json"]: {} } },
				default: {
					description: "A problem document (RFC 9457)",
					content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
				},
			},
		};
		paths[route.path] = item;
	}
	return {
		openapi: "3.1.0",
		info: { title: "Spillway", version: "1", description: "Money is a decimal string of micro-dollars; times are ISO 8601 in UTC." },
		servers: [{ url: "/api/v1" }],
		security: [{ token: [] }],
		paths,
		components: {
			securitySchemes: { token: { type: "http", scheme: "bearer" } },
			schemas: {
				Problem: {
					type: "object",
					required: ["type", "title", "status", "detail", "code", "requestId"],
					properties: {
						type: { type: "string" },
						title: { type: "string" },
						status: { type: "integer" },
						detail: { type: "string" },
						code: { type: "string" },
						fix: { type: "string" },
						fields: {
							type: "array",
							items: {
								type: "object",
								properties: {
									path: { type: "string" },
									message: { type: "string" },
									line: { type: "integer" },
									column: { type: "integer" },
								},
							},
						},
						requestId: { type: "string" },
					},
				},
			},
		},
	};
}
