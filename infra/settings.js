// What serverless.yml takes as ${file(infra/settings.js):settings}. The checks are in settings.ts.
import { PARAMETER_NAMES, settingsFrom } from './settings.ts';

/** Called by osls while it reads serverless.yml, before it packages or makes anything. */
export async function settings({ options, resolveVariable }) {
  const given = { stage: await resolveVariable('sls:stage'), region: options.region ?? process.env.AWS_REGION ?? 'eu-central-1' };
  for (const name of PARAMETER_NAMES) given[name] ??= await resolveVariable(`param:${name}, null`);
  // Of what was said on the command line, nothing may go unheard: `--param=protecton=off` least of all.
  for (const text of options.param ?? []) given[text.split('=', 1)[0]] ??= text;
  try {
    return settingsFrom(given);
  } catch (error) {
    // osls prints the whole stack where there is one.
    delete error.stack;
    throw error;
  }
}
