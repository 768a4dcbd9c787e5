#include "mesh_file.hpp"

#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assimp/Importer.hpp>
#include <cmath>

namespace ricochet {
namespace {

void gather(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent, std::vector<Vec3>& out) {
  const aiMatrix4x4 at = parent * node.mTransformation;
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[i]];
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      const aiVector3D x = at * mesh.mVertices[v];
      out.emplace_back(static_cast<double>(x.x), static_cast<double>(x.y), static_cast<double>(x.z));
    }
  }
  for (unsigned i = 0; i < node.mNumChildren; ++i) gather(scene, *node.mChildren[i], at, out);
}

}  // namespace

Expected<std::vector<Vec3>> read_mesh(const std::string& file) {
  Assimp::Importer importer;
  importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS, aiComponent_TEXTURES | aiComponent_MATERIALS |
                                                          aiComponent_NORMALS | aiComponent_COLORS |
                                                          aiComponent_TEXCOORDS | aiComponent_LIGHTS |
                                                          aiComponent_CAMERAS | aiComponent_ANIMATIONS);
  const aiScene* scene = importer.ReadFile(file, aiProcess_RemoveComponent);
  if (scene == nullptr || scene->mRootNode == nullptr)
    return fail(ErrorCode::malformed, "mesh", file, std::string("must be a mesh: ") + importer.GetErrorString());
  // Assimp turns what has z up; the scale of its units is in the same matrix.
  aiNode& root = *scene->mRootNode;
  aiVector3D scale(1, 1, 1);
  aiQuaternion turn;
  aiVector3D position;
  if (file.ends_with(".dae") || file.ends_with(".DAE")) {
    root.mTransformation.Decompose(scale, turn, position);
    aiMatrix4x4 units;
    aiMatrix4x4::Scaling(scale, units);
    root.mTransformation = units;
  }
  std::vector<Vec3> out;
  gather(*scene, root, aiMatrix4x4(), out);
  if (out.empty()) return fail(ErrorCode::malformed, "mesh", file, "has no vertices");
  return out;
}

}  // namespace ricochet
