import { handlers } from "#server/auth/next-auth.ts";

export const { GET, POST } = handlers;
