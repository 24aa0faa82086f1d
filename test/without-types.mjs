// Sources for jest: types give way to spaces, as where Node itself runs them. Lines and columns stay, so no source map is needed, which V8
// would have to read past at each load.
import { stripTypeScriptTypes } from 'node:module';

export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) };
